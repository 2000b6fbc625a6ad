import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newFolder } from './databases.ts'
import { freePort } from './free-port.ts'

const program = '/usr/bin/prometheus'
export const promtool = '/usr/bin/promtool'

/** Whether the Debian package is installed. */
export const hasPrometheus = existsSync(program) && existsSync(promtool)

export const monitoringFile = (name: string): URL => new URL(`../../../deploy/monitoring/${name}`, import.meta.url)

/** Runs Prometheus with the configuration of `deploy/monitoring` for a server on another port, each second. */
export async function startPrometheus(serverUrl: string): Promise<{ query(expression: string): Promise<Sample[]>; stop(): Promise<void> }> {
  const port = await freePort()
  const folder = newFolder('prometheus')
  const configuration = readFileSync(monitoringFile('prometheus.yml'), 'utf8')
    .replaceAll('15s', '1s')
    .replace('127.0.0.1:4200', new URL(serverUrl).host)
  writeFileSync(join(folder, 'prometheus.yml'), configuration)
  writeFileSync(join(folder, 'alerts.yml'), readFileSync(monitoringFile('alerts.yml')))
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(url, child)
  return {
    async query(expression) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
      const { status, data, error } = (await response.json()) as QueryResult
      if (status !== 'success') throw new Error(`${expression}: ${error}`)
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface QueryResult {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[] }
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with exit code ${child.exitCode}`)
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isReady) return
    await pause(50)
  }
  throw new Error('Prometheus was not ready within 15 seconds')
}
