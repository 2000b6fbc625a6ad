import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'
import { isObject } from './json-value.ts'
import { decodeKey } from './key-order.ts'
import { failWith } from './problems.ts'
import { readFiles } from './read-files.ts'

/** The values of placeholders: those of a file, and those of the environment. */
export async function readSecretValues(names: Iterable<string>, file: string | undefined, io: Io): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const name of names) if (io.env[name]) values.set(name, io.env[name])
  if (file === undefined) return values
  for (const { name, value, problems } of await readFiles(file, io)) {
    if (problems.length > 0) failWith(problems)
    if (!isObject(value)) throw new CommandError(`${name} must be a mapping of names to secrets.`)
    for (const [key, secret] of Object.entries(value)) values.set(decodeKey(key), secret)
  }
  return values
}

/** Asks for secrets without showing what is typed. */
export async function askSecrets(names: readonly string[], io: Io): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: io.stdin, output: muted, terminal: true })
  try {
    for (const name of names) {
      const answer = prompt.question('', { signal: io.signal })
      io.stderr.write(`Secret ${name}: `)
      values.set(name, await answer)
      io.stderr.write('\n')
    }
  } finally {
    prompt.close()
  }
  return values
}
