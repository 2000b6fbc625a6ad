import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { type Cluster, connectCluster } from './cluster.ts'
import { type Postgres, startPostgres } from './launcher.ts'
import { fastTemporaryFolder } from './unprivileged-account.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrlEndpoint: string
    /** For the files of a run. Removed at its end. */
    scratchFolder: string
  }
}

/**
 * Vitest's global setup: an HTTP endpoint that gives test files the URL of the PostgreSQL server of this run. The server starts with the first
 * request, so that a run without PostgreSQL tests does not wait for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<Postgres> | undefined
  const urlServer = createServer((_request, response) => {
    running ??= startPostgres()
    running.then(
      ({ adminUrl }) => response.end(adminUrl),
      (error) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  await new Promise<void>((resolve) => urlServer.listen(0, '127.0.0.1', resolve))
  const address = urlServer.address()
  if (address === null || typeof address === 'string') throw new Error('the PostgreSQL URL endpoint has no port')
  project.provide('postgresUrlEndpoint', `http://127.0.0.1:${address.port}`)
  const scratch = mkdtempSync(join(fastTemporaryFolder(), 'millrace-tests-'))
  project.provide('scratchFolder', scratch)
  return async () => {
    urlServer.closeAllConnections()
    urlServer.close()
    await running?.then(({ stop }) => stop()).catch(() => {})
    rmSync(scratch, { recursive: true, force: true })
  }
}

let shared: Promise<Cluster> | undefined

/** The PostgreSQL server of this run, for use in test files. Callers drop the databases that they create. */
export function sharedPostgres(): Promise<Cluster> {
  shared ??= fetch(inject('postgresUrlEndpoint')).then(async (response) => {
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
    return connectCluster(answer)
  })
  return shared
}
