import type { Output } from './output.ts'
import type { Column } from './table.ts'
import { toSafeText } from './text-width.ts'

/** Prints a table below the fields of an item. Prints nothing if the table is empty. */
export async function printTableSection<T>(output: Output, title: string, items: readonly T[], columns: readonly Column<T>[]): Promise<void> {
  if (items.length === 0) return
  output.text(`\n${output.style('bold', title)}`)
  await output.list(items, columns, '')
}

/** Prints a nested value as YAML below the fields of an item. */
export async function printValueSection(output: Output, title: string, value: unknown): Promise<void> {
  const { toYaml } = await import('./yaml.ts')
  output.text(`\n${output.style('bold', title)}\n${toSafeText(toYaml(value).trimEnd())}`)
}
