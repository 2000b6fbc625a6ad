/** One source file seen in three ways, each as long as the original and with its line breaks, so that places agree. */
export interface SourceText {
  /** Without comments and without what stands in strings, templates and regular expressions. */
  code: string
  /** Without comments. */
  codeAndStrings: string
  /** Comments alone. */
  comments: string
}

type Kind = 'code' | 'string' | 'comment'

/**
 * Tells code, strings and comments of TypeScript apart. A slash begins a regular expression where a value may begin, which the character or
 * word before it tells; the one wrong guess left (a division right after `)` of an `if`) would need an unformatted file.
 */
export function splitSource(text: string): SourceText {
  const kinds = new Array<Kind>(text.length)
  /** Open braces of each template that we are inside of, innermost last. */
  const templates: number[] = []
  let i = 0
  const mark = (end: number, kind: Kind) => {
    for (; i < Math.min(end, text.length); i++) kinds[i] = kind
  }
  const closing = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text) ? pattern.lastIndex : text.length
  }
  /** From inside a template to its end, or to the `${` after which code begins. */
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

/** The line of a place in a text, counted from 1. */
export const lineOf = (text: string, place: number): number => text.slice(0, place).split('\n').length
