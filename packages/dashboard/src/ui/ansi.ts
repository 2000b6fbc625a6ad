export interface AnsiSpan {
  readonly text: string
  /** One of the eight colours, or none. */
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what they begin with
const escapes = /\u001b\[([0-9;:?]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g

/** Text with the colours of a terminal, in pieces that look alike. Backgrounds and movements of the cursor are left out. */
export function parseAnsi(text: string): AnsiSpan[] {
  if (!text.includes('\u001b')) return [{ text, ...plainStyle }]
  const spans: AnsiSpan[] = []
  let look = plainStyle
  let from = 0
  for (const found of text.matchAll(escapes)) {
    if (found.index > from) spans.push({ text: text.slice(from, found.index), ...look })
    from = found.index + found[0].length
    if (found[2] === 'm') look = applyCodes(look, (found[1] ?? '').split(/[;:]/).map(Number))
  }
  if (from < text.length) spans.push({ text: text.slice(from), ...look })
  return spans
}

function applyCodes(start: AnsiStyle, codes: readonly number[]): AnsiStyle {
  let look = start
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) look = plainStyle
    else if (code === 1) look = { ...look, bold: true }
    else if (code === 2) look = { ...look, dim: true }
    else if (code === 3) look = { ...look, italic: true }
    else if (code === 4) look = { ...look, underline: true }
    else if (code === 22) look = { ...look, bold: false, dim: false }
    else if (code === 23) look = { ...look, italic: false }
    else if (code === 24) look = { ...look, underline: false }
    else if (code >= 30 && code <= 37) look = { ...look, colour: colours[code - 30] }
    else if (code >= 90 && code <= 97) look = { ...look, colour: colours[code - 90] }
    else if (code === 39) look = { ...look, colour: undefined }
    else if (code === 38 || code === 48) {
      // A colour out of 256, or of three numbers: the first sixteen we have, the rest would be unreadable in one of the themes.
      if (code === 38 && codes[at + 1] === 5) look = { ...look, colour: colours[(codes[at + 2] ?? 16) % 8] }
      at += codes[at + 1] === 5 ? 2 : 4
    }
  }
  return look
}

/** Without any of it, for files and searches. */
export const stripAnsi = (text: string): string => text.replaceAll(escapes, '')
