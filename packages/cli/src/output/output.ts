import type { Io } from '../io.ts'
import { type Styler, stylerFor } from './style.ts'
import { type Column, formatFields, formatTable } from './table.ts'
import { escapeControlCharacters, toSafeText } from './text-width.ts'

export const outputFormats = ['table', 'wide', 'json', 'yaml'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Prints results to stdout in the format of `-o`, and notes to stderr. JSON and YAML have the objects of the API, unchanged. */
export class Output {
  readonly format: OutputFormat
  readonly style: Styler
  readonly #io: Io

  constructor(io: Io, format: OutputFormat, colour: boolean) {
    this.#io = io
    this.format = format
    this.style = stylerFor(io.stdout, io.env, colour)
  }

  /** Whether other programs read the output. */
  get isStructured(): boolean {
    return this.format === 'json' || this.format === 'yaml'
  }

  /** Prints a list. `empty` is the note for a person if there are no items. */
  async list<T>(items: readonly T[], columns: readonly Column<T>[], empty: string): Promise<void> {
    if (this.isStructured) return this.data(items)
    if (items.length === 0) return this.note(empty)
    const { columns: width } = this.#io.stdout
    this.text(formatTable(items, this.#shown(columns), this.style, this.#io.stdout.isTTY ? width || 80 : undefined))
  }

  /** Prints one item. */
  async item<T>(item: T, fields: readonly Column<T>[]): Promise<void> {
    if (this.isStructured) return this.data(item)
    this.text(formatFields(item, this.#shown(fields), this.style))
  }

  /** Prints what a command did: the message for a person, the item for a program. */
  async done(message: string, item: unknown = { message }): Promise<void> {
    if (this.isStructured) return this.data(item)
    this.text(toSafeText(message))
  }

  /** Prints a value as JSON or, with `-o yaml`, as YAML. */
  async data(value: unknown): Promise<void> {
    if (this.format !== 'yaml') return this.text(escapeControlCharacters(JSON.stringify(value, null, 2)))
    const { toYaml } = await import('./yaml.ts')
    this.text(toYaml(value).trimEnd())
  }

  text(text: string): void {
    this.#io.stdout.write(`${text}\n`)
  }

  /** Prints to stderr, so that the output of a pipe stays clean. */
  note(text: string): void {
    this.#io.stderr.write(`${text}\n`)
  }

  #shown<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
    return this.format === 'wide' ? columns.map((column) => ({ ...column, isOptional: false })) : columns.filter(({ isWide }) => !isWide)
  }
}
