import { InvalidArgumentError } from 'commander'

/** What is wrong with the name of something new that is part of paths. The server rejects the same characters, with a pattern. */
export function newNameFault(text: string): string | undefined {
  if (text.trim() === '') return 'It is empty.'
  return /[/%&<>]/.test(text) ? 'A name cannot contain / % & < or >.' : undefined
}

/** Parses the argument that names something new. */
export function parseNewName(text: string): string {
  const fault = newNameFault(text)
  if (fault !== undefined) throw new InvalidArgumentError(fault)
  return text
}
