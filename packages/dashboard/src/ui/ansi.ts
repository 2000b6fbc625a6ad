export interface AnsiSpan {
  readonly text: string
  /** One of the eight colours, or undefined. */
  readonly colour: AnsiColour | undefined
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
export type AnsiColour = (typeof colours)[number]

type AnsiStyle = Omit<AnsiSpan, 'text'>
const plainStyle: AnsiStyle = { colour: undefined, bold: false, dim: false, italic: false, underline: false }

// biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI sequences start with the escape character
const escapes = /\u001b\[([0-9;:?]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g

/** Splits text into spans of equal style. Ignores background colours and cursor movements. */
export function parseAnsi(text: string): AnsiSpan[] {
  if (!text.includes('\u001b')) return [{ text, ...plainStyle }]
  const spans: AnsiSpan[] = []
  let style = plainStyle
  let from = 0
  for (const found of text.matchAll(escapes)) {
    if (found.index > from) spans.push({ text: text.slice(from, found.index), ...style })
    from = found.index + found[0].length
    if (found[2] === 'm') style = applyCodes(style, (found[1] ?? '').split(/[;:]/).map(Number))
  }
  if (from < text.length) spans.push({ text: text.slice(from), ...style })
  return spans
}

function applyCodes(start: AnsiStyle, codes: readonly number[]): AnsiStyle {
  let style = start
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) style = plainStyle
    else if (code === 1) style = { ...style, bold: true }
    else if (code === 2) style = { ...style, dim: true }
    else if (code === 3) style = { ...style, italic: true }
    else if (code === 4) style = { ...style, underline: true }
    else if (code === 22) style = { ...style, bold: false, dim: false }
    else if (code === 23) style = { ...style, italic: false }
    else if (code === 24) style = { ...style, underline: false }
    else if (code >= 30 && code <= 37) style = { ...style, colour: colours[code - 30] }
    else if (code >= 90 && code <= 97) style = { ...style, colour: colours[code - 90] }
    else if (code === 39) style = { ...style, colour: undefined }
    else if (code === 38 || code === 48) {
      // 256-colour and RGB codes: the first sixteen map to theme colours. Others would be unreadable in one of the themes.
      if (code === 38 && codes[at + 1] === 5) style = { ...style, colour: colours[(codes[at + 2] ?? 16) % 8] }
      at += codes[at + 1] === 5 ? 2 : 4
    }
  }
  return style
}

/** Plain text, for files and searches. */
export const stripAnsi = (text: string): string => text.replaceAll(escapes, '')
