import { type Mill, seedMill } from './mill.ts'
import { type OpenServer, openServer } from './open-server.ts'

export interface OpenMill extends OpenServer {
  readonly mill: Mill
}

/** A server with a day's work in it. */
export async function openMill(env: Record<string, string> = {}): Promise<OpenMill> {
  const { made: mill, ...open } = await openServer(seedMill, env)
  return { ...open, mill }
}
