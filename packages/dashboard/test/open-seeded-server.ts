import { type OpenServer, openServer } from './open-server.ts'
import { type SeedData, seedData } from './seed-data.ts'

export interface OpenSeededServer extends OpenServer {
  readonly seed: SeedData
}

/** A server with a day's work in it. */
export async function openSeededServer(env: Record<string, string> = {}): Promise<OpenSeededServer> {
  const { made: seed, ...open } = await openServer(seedData, env)
  return { ...open, seed }
}
