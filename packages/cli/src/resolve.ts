import type { MillraceClient } from '@millrace/client/client.ts'
import { CommandError } from './errors.ts'

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

export const isId = (text: string): boolean => uuidPattern.test(text)

/** Returns the only item of a search by name. Names that are not unique need an id. */
export function onlyMatch<T extends { readonly id: string }>(items: readonly T[], noun: string, name: string): T {
  const [item] = items
  if (!item) throw new CommandError(`${noun} "${name}" not found.`, 'notFound')
  if (items.length === 1) return item
  const ids = items.slice(0, 5).map(({ id }) => `  ${id}`)
  throw new CommandError(`Several items have the name "${name}". Use an id:\n${ids.join('\n')}${items.length > 5 ? '\n  …' : ''}`, 'ambiguous')
}

/** A variable by name or id. */
export const resolveVariable = (client: MillraceClient, reference: string) =>
  isId(reference) ? client.variables.read(reference) : client.variables.readByName(reference)
