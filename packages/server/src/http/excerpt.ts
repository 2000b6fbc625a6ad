import { ExactNumber } from '../lib/json-exact.ts'

/** The first `charactersMax` characters of the JSON of a value. Visits only as much of the value as it returns. */
export function excerpt(value: unknown, charactersMax: number): { readonly text: string; readonly isWhole: boolean } {
  let text = ''
  const isFull = () => text.length > charactersMax

  function write(part: unknown): void {
    if (typeof part === 'string') {
      const isLong = part.length > charactersMax
      text += JSON.stringify(isLong ? part.slice(0, charactersMax + 1) : part)
    } else if (part instanceof ExactNumber) text += part.source.slice(0, charactersMax + 1)
    else if (Array.isArray(part)) writeList(part)
    else if (typeof part === 'object' && part !== null) writeObject(part as Record<string, unknown>)
    else text += JSON.stringify(part) ?? 'null'
  }

  function writeList(list: readonly unknown[]): void {
    text += '['
    for (let index = 0; index < list.length && !isFull(); index += 1) {
      if (index > 0) text += ','
      write(list[index])
    }
    text += ']'
  }

  function writeObject(object: Record<string, unknown>): void {
    text += '{'
    let isFirst = true
    for (const key in object) {
      if (isFull()) break
      text += isFirst ? '' : ','
      write(key)
      text += ':'
      write(object[key])
      isFirst = false
    }
    text += '}'
  }

  write(value)
  return isFull() ? { text: text.slice(0, charactersMax), isWhole: false } : { text, isWhole: true }
}
