import { beforeAll, expect, test } from 'vitest'
import { workerMonitor } from '../../server/src/services/worker-monitor.ts'
import { runService } from '../../server/test/setup.ts'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 8)

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))

beforeAll(async () => {
  const heartbeat = (pool: string, name: string, heartbeat_interval_seconds: number) =>
    server.app.call('POST', `/work_pools/${pool}/workers/heartbeat`, { name, heartbeat_interval_seconds })
  for (const name of ['k8s', 'local']) await server.app.call('POST', '/work_pools/', { name, type: 'process' })
  await heartbeat('k8s', 'KubernetesWorker 5f4c', 30)
  server.app.clock.advance(300)
  await heartbeat('k8s', 'twin', 90)
  await heartbeat('local', 'twin', 30)
  await runService(server.app, workerMonitor)
})

test('worker ls shows the workers of all pools', async () => {
  expect(await millrace('worker', 'ls')).toMatchInlineSnapshot(`
    "NAME                   POOL   STATUS   LAST HEARTBEAT
    twin                   k8s    ONLINE   3m ago
    KubernetesWorker 5f4c  k8s    OFFLINE  8m ago
    twin                   local  ONLINE   3m ago"
  `)
  expect(await millrace('worker', 'ls', '-o', 'wide')).toMatchInlineSnapshot(`
    "NAME                   POOL   STATUS   LAST HEARTBEAT  INTERVAL  ID
    twin                   k8s    ONLINE   3m ago          1m 30s    <id>
    KubernetesWorker 5f4c  k8s    OFFLINE  8m ago          30s       <id>
    twin                   local  ONLINE   3m ago          30s       <id>"
  `)
})

test('worker ls narrows by pool and status', async () => {
  expect(await server.json('worker', 'ls', '--pool', 'local')).toMatchObject([{ name: 'twin', work_pool_name: 'local', status: 'ONLINE' }])
  expect(await server.json('worker', 'ls', '--status', 'offline')).toMatchObject([{ name: 'KubernetesWorker 5f4c' }])
  expect(await millrace('worker', 'ls', '--pool', 'local', '--status', 'offline')).toBe('No workers.')
  expect(await millrace('worker', 'ls', '--pool', 'none')).toMatchInlineSnapshot(`
    "exit code 25
    Error: Work pool "none" not found. \`millrace work-pool ls\` shows what there is."
  `)
})

test('worker ls colours the status and fits a narrow terminal', async () => {
  const { stdout } = await runCli(['--server', server.url, 'worker', 'ls', '--pool', 'k8s'], { columns: 50, env: { NO_COLOR: '', FORCE_COLOR: '1' } })
  expect(stdout.replaceAll('\u001b', '')).toMatchInlineSnapshot(`
    "[1mNAME               [22m  [1mPOOL[22m  [1mSTATUS [22m  [1mLAST HEARTBEAT[22m
    twin                 k8s   [32mONLINE [39m  3m ago
    KubernetesWorker 5…  k8s   [31mOFFLINE[39m  8m ago
    "
  `)
})

test('worker delete needs the pool if several have a worker of the name', async () => {
  expect(await millrace('worker', 'delete', 'twin', '--yes')).toMatchInlineSnapshot(`
    "exit code 26
    Error: Worker "twin" is ambiguous. Name the pool:
      --pool k8s
      --pool local"
  `)
  expect(await millrace('worker', 'delete', 'twin', '--pool', 'k8s')).toMatchInlineSnapshot(`
    "exit code 2
    Error: Delete worker "twin" of work pool "k8s"? Confirm with --yes: there is no terminal to ask."
  `)
  expect(await millrace('worker', 'delete', 'twin', '--pool', 'k8s', '--yes')).toBe('Deleted worker "twin" of work pool "k8s".')
  expect(await server.json('worker', 'delete', 'twin', '--yes')).toMatchObject({ name: 'twin', work_pool_name: 'local' })
})

test('worker delete ends with exit code 25 for an unknown worker or pool', async () => {
  expect(await millrace('worker', 'delete', 'none', '--yes')).toMatchInlineSnapshot(`
    "exit code 25
    Error: Worker "none" not found. \`millrace worker ls\` shows what there is."
  `)
  expect(await millrace('worker', 'delete', 'none', '--pool', 'local', '--yes')).toMatchInlineSnapshot(`
    "exit code 25
    Error: Worker "none" not found. \`millrace worker ls --pool local\` shows what there is."
  `)
  expect(await millrace('worker', 'delete', 'none', '--pool', 'none', '--yes')).toMatchInlineSnapshot(`
    "exit code 25
    Error: Work pool "none" not found. \`millrace work-pool ls\` shows what there is."
  `)
})
