import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { hasExactNumbers } from './json-value.ts'
import { fetchInKeyOrder } from './key-order.ts'
import { ServerState } from './server-state.ts'

/** A client that keeps user data as it is: the spelling of numbers and the order of keys. */
export function createServerState(cli: Cli): ServerState {
  if (!hasExactNumbers())
    throw new CommandError(`Export and import need Node 22 or later to keep numbers exact. This is Node ${process.versions.node}.`)
  return new ServerState(cli.createClient({ exactNumbers: true, fetch: fetchInKeyOrder }), cli.io.signal)
}
