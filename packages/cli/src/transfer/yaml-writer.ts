import { isObject, isRawNumber } from './json-value.ts'
import { decodeKey } from './key-order.ts'
import { Hidden, Reference, SecretPlaceholder, secretMask } from './placeholders.ts'

/**
 * Writes YAML 1.2 for people and version control: one value per line, no folded lines, block style, literal blocks for texts of several lines.
 * Texts that YAML 1.1 or 1.2 would read as another type are quoted.
 */
export function writeYaml(value: unknown): string {
  return `${block(value, '').trimStart()}\n`
}

/** YAML limits an implicit key to 1,024 characters. */
const implicitKeyLengthMax = 1000

/** The text after a key or a dash: a blank and a value on the same line, or a nested block on the next lines. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? ' []' : value.map((item) => `\n${indent}-${element(item, indent)}`).join('')
  if (!isObject(value)) return ` ${scalar(value, indent)}`
  const entries = Object.entries(value)
  return entries.length === 0 ? ' {}' : entries.map(([key, inner]) => `\n${indent}${field(decodeKey(key), inner, indent)}`).join('')
}

/** The first key of a mapping, or the first dash of a list, is on the line of the dash. */
function element(item: unknown, indent: string): string {
  const text = block(item, `${indent}  `)
  return text.startsWith('\n') ? ` ${text.trimStart()}` : text
}

function field(key: string, value: unknown, indent: string): string {
  const name = singleLine(key)
  const text = block(value, `${indent}  `)
  return name.length > implicitKeyLengthMax ? `? ${name}\n${indent}:${text}` : `${name}:${text}`
}

function scalar(value: unknown, indent: string): string {
  if (typeof value === 'string') return isLiteral(value) ? literal(value, indent) : singleLine(value)
  if (isRawNumber(value)) return value.rawJSON
  if (value instanceof Reference) return `!ref ${singleLine(value.text)}`
  if (value instanceof SecretPlaceholder) return `!secret ${singleLine(value.name)}`
  if (value instanceof Hidden) return singleLine(secretMask)
  return JSON.stringify(value)
}

/** Starts with a letter or the like, contains nothing that ends a plain text, and does not end with a colon or a blank. */
const plainText = /^[\p{L}_/$](?:[\p{L}\p{N}\x21-\x7e]| (?![# ]))*$/u
const plainEnd = /(?:: |:$| $)/
const otherType = /^(?:null|true|false|yes|no|on|off|y|n)$/i

const singleLine = (text: string): string => (plainText.test(text) && !plainEnd.test(text) && !otherType.test(text) ? text : quote(text))

/** Characters that a YAML reader may change or reject, and lone halves of surrogate pairs, which UTF-8 cannot encode. */
const specialCharacters =
  /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ue000-\uf8ff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const quote = (text: string): string =>
  JSON.stringify(text).replaceAll(specialCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const blankLine = /^[ \t]+$/m
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const controlCharacter = /[\x00-\x08\x0b-\x1f]/

/** Whether a text has several lines that a literal block keeps. Blanks at the start or alone on a line would need an indentation indicator. */
const isLiteral = (text: string): boolean =>
  /^\S/.test(text) && text.includes('\n') && !blankLine.test(text) && !controlCharacter.test(text) && text.search(specialCharacters) < 0

function literal(text: string, indent: string): string {
  const end = /\n*$/.exec(text)?.[0].length ?? 0
  const chomping = end === 0 ? '-' : end === 1 ? '' : '+'
  const lines = text.slice(0, text.length - (end === 0 ? 0 : 1)).split('\n')
  return [`|${chomping}`, ...lines.map((line) => (line === '' ? '' : `${indent}${line}`))].join('\n')
}
