import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { type Cluster, connectCluster } from './cluster.ts'
import { type Postgres, startPostgres } from './launcher.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresDesk: string
    /** For the files of a run; removed at its end. */
    scratchFolder: string
  }
}

/**
 * Vitest's global set-up: a desk where test files ask for the one PostgreSQL of this run. The first to ask waits for it to start, so that a
 * run of tests that need none pays nothing.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<Postgres> | undefined
  const desk = createServer((_request, response) => {
    running ??= startPostgres()
    running.then(
      ({ adminUrl }) => response.end(adminUrl),
      (error) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve))
  const address = desk.address()
  if (address === null || typeof address === 'string') throw new Error('the desk has no port')
  project.provide('postgresDesk', `http://127.0.0.1:${address.port}`)
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-tests-'))
  project.provide('scratchFolder', scratch)
  return async () => {
    desk.closeAllConnections()
    desk.close()
    await running?.then(({ stop }) => stop()).catch(() => {})
    rmSync(scratch, { recursive: true, force: true })
  }
}

let shared: Promise<Cluster> | undefined

/** The PostgreSQL of this test run, for use in test files. Databases made on it are the caller's to drop. */
export function sharedPostgres(): Promise<Cluster> {
  shared ??= fetch(inject('postgresDesk')).then(async (response) => {
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
    return connectCluster(answer)
  })
  return shared
}
