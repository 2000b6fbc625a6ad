import { NotFoundError } from '@millrace/client/errors.ts'
import { CommandError } from './errors.ts'

/** What is looked for, and which command lists the names. */
export interface ItemReference {
  /** `Work pool`. */
  readonly noun: string
  readonly name: string
  /** `work-pool ls`. */
  readonly list: string
}

/** Reads an item by name or id. The error of a missing one has its name, and says where to look. */
export async function findItem<T>(reference: ItemReference, read: () => Promise<T>): Promise<T> {
  if (reference.name === '') throw itemNotFound(reference)
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError) throw itemNotFound(reference)
    throw error
  }
}

export const itemNotFound = ({ noun, name, list }: ItemReference): CommandError =>
  new CommandError(`${noun} "${name}" not found. \`millrace ${list}\` shows what there is.`, 'notFound')

/** Several items match. `choices` are references that are unique. */
export function ambiguousItem({ noun, name }: ItemReference, choices: readonly string[], advice: string): CommandError {
  const shown = choices.slice(0, 5).map((choice) => `  ${choice}`)
  const rest = choices.length > 5 ? `\n  … and ${choices.length - 5} more` : ''
  return new CommandError(`${noun} "${name}" is ambiguous. ${advice}\n${shown.join('\n')}${rest}`, 'ambiguous')
}
