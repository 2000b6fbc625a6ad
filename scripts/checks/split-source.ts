/** Three views of a source file. Each has the length and the line breaks of the original, so that offsets agree. */
export interface SourceText {
  /** Without comments and without the contents of strings, templates and regular expressions. */
  code: string
  /** Without comments. */
  codeAndStrings: string
  /** Comments only. */
  comments: string
}

type Kind = 'code' | 'string' | 'comment'

/**
 * Separates code, strings and comments of TypeScript. A slash starts a regular expression where a value may start, which depends on the character
 * or word before it. The one wrong guess left (a division right after the `)` of an `if`) occurs in unformatted files only.
 */
export function splitSource(text: string): SourceText {
  const kinds = new Array<Kind>(text.length)
  /** Number of open braces in each enclosing template, innermost last. */
  const templates: number[] = []
  let i = 0
  const mark = (end: number, kind: Kind) => {
    for (; i < Math.min(end, text.length); i++) kinds[i] = kind
  }
  const closing = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text) ? pattern.lastIndex : text.length
  }
  /** Reads a template up to its end or to the next `${`. */
  const template = () => {
    const end = closing(/(?:[^\\`$]|\\.|\$(?!\{))*(?:`|\$\{)/sy, i)
    if (text[end - 1] === '{') {
      mark(end - 2, 'string')
      mark(end, 'code')
      templates.push(0)
    } else {
      mark(end, 'string')
    }
  }

  while (i < text.length) {
    const two = text.slice(i, i + 2)
    const char = text[i]
    if (two === '//') mark(closing(/[^\n]*/y, i), 'comment')
    else if (two === '/*') mark(closing(/.*?\*\//sy, i), 'comment')
    else if (char === "'") mark(closing(/'(?:[^'\\\n]|\\.)*'/sy, i), 'string')
    else if (char === '"') mark(closing(/"(?:[^"\\\n]|\\.)*"/sy, i), 'string')
    else if (char === '`') {
      mark(i + 1, 'string')
      template()
    } else if (char === '/' && beginsValue(text, kinds, i)) mark(closing(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, i), 'string')
    else if (char === '}' && templates.at(-1) === 0) {
      templates.pop()
      mark(i + 1, 'code')
      template()
    } else {
      if (templates.length > 0 && (char === '{' || char === '}')) templates.push((templates.pop() ?? 0) + (char === '{' ? 1 : -1))
      mark(i + 1, 'code')
    }
  }
  const only = (...wanted: Kind[]) => text.replace(/[^\n]/g, (char, place: number) => (wanted.includes(kinds[place] ?? 'code') ? char : ' '))
  return { code: only('code'), codeAndStrings: only('code', 'string'), comments: only('comment') }
}

function beginsValue(text: string, kinds: Kind[], place: number): boolean {
  let before = place - 1
  while (before >= 0 && (kinds[before] === 'comment' || /\s/.test(text[before] ?? ''))) before--
  if (before < 0) return true
  if (kinds[before] === 'string') return false
  const word = /[\w$]+$/.exec(text.slice(Math.max(0, before - 20), before + 1))?.[0]
  return word === undefined
    ? /[^)\]}]/.test(text[before] ?? '')
    : /^(return|typeof|case|of|in|do|else|await|yield|throw|void|delete|instanceof)$/.test(word)
}

/** The line number of an offset, starting at 1. */
export const lineOf = (text: string, place: number): number => text.slice(0, place).split('\n').length
