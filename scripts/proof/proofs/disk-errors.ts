import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { findChangeProblems } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { changeFigures } from '../change-figures.ts'
import { below, exactly, type Figure, largest, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { send } from '../requests.ts'

const strace = '/usr/bin/strace'
const volumeMb = 256
const faultMs = 3000
const clients = 8
const rate = 150

/** Fails system calls of a running process. Nothing is preloaded: strace changes the results of the calls. Returns a function that ends it. */
async function injectErrors(run: ProofRun, pid: number, rules: readonly string[]): Promise<() => Promise<void>> {
  const calls = rules.map((rule) => rule.split(':')[0] as string)
  const args = ['-f', '-qq', '-p', String(pid), '-e', `trace=${calls.join(',')}`, ...rules.flatMap((rule) => ['-e', `inject=${rule}`])]
  const child = spawn(strace, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let failed = 0
  child.stderr.on('data', (piece: Buffer) => {
    failed += piece.toString().split('(INJECTED)').length - 1
  })
  const ended = once(child, 'exit')
  return async () => {
    child.kill('SIGINT')
    await ended
    run.log(`${failed} system calls failed by ${rules.join(' ')}`)
    if (failed === 0) throw new Error('No system call was failed: the fault had no effect.')
  }
}

/** Fills the volume to the last byte. Returns a function that makes room again. */
function fillVolume(volume: string): () => void {
  const ballast = join(volume, 'ballast')
  const fill = (size: number, file: number) => {
    const block = Buffer.alloc(size)
    try {
      for (;;) if (writeSync(file, block) < size) return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  const file = openSync(ballast, 'w')
  for (const size of [1 << 20, 4096]) fill(size, file)
  closeSync(file)
  return () => rmSync(ballast)
}

interface Fault {
  readonly name: string
  start(run: ProofRun, server: ServerProcess, volume: string): Promise<() => unknown> | (() => unknown)
}

const inject = (name: string, rules: readonly string[]): Fault => ({
  name,
  start: (run, server) => injectErrors(run, server.child.pid as number, rules),
})

const faults: readonly Fault[] = [
  { name: 'full disk', start: (_run, _server, volume) => fillVolume(volume) },
  inject('read-only disk', ['pwrite64:error=EROFS', 'ftruncate:error=EROFS', 'fdatasync:error=EROFS']),
  inject('I/O error of every third write', ['pwrite64:error=EIO:when=3+3']),
  inject('I/O error of every write', ['pwrite64:error=EIO']),
  inject('I/O error of every second flush', ['fdatasync:error=EIO:when=2+2', 'fsync:error=EIO:when=2+2']),
]

async function run(run: ProofRun) {
  const volume = join(run.folder, 'volume')
  mkdirSync(volume)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${volumeMb}m`, 'tmpfs', volume])
  run.defer(() => execFileSync('umount', [volume]))
  const file = join(volume, 'millrace.db')
  const server = await run.startServer(`sqlite:${file}`)
  const { id: flowId } = await server.post('/flows/', { name: 'under fire' })
  let refusals: { failure: string; text: string }[] = []
  const load = startFailoverLoad(server.url, {
    clients,
    rate,
    flowId,
    random: run.random,
    onFailure(failure, text, path) {
      refusals.push({ failure, text })
      run.record('failures.jsonl', { failure, path, text })
    },
  })
  run.defer(() => load.stop())
  await load.waitFor(50)
  const recoveries: number[] = []
  const unexpected: string[] = []
  const counts = new Map<string, number>()
  let [failedReads, unexplained] = [0, 0]
  for (let n = 0; n < run.amount; n += 1) {
    for (const fault of faults) {
      run.checkInterrupted()
      refusals = []
      const end = await fault.start(run, server, volume)
      const until = performance.now() + faultMs
      while (performance.now() < until) {
        const { status } = await send(server.url, 'POST', '/flow_runs/filter', { limit: 5 })
        if (status !== 200) failedReads += 1
        await pause(100)
      }
      await end()
      const began = performance.now()
      await load.waitFor(clients)
      recoveries.push(performance.now() - began)
      for (const { failure, text } of refusals) {
        if (failure !== '503') unexpected.push(failure)
        else if (!/"detail":"[^"]{10,}"/.test(text)) unexplained += 1
      }
      counts.set(fault.name, (counts.get(fault.name) ?? 0) + refusals.length)
      if (refusals.length === 0) run.log(`${fault.name}: no request was refused`)
    }
  }
  await load.waitFor(100)
  await load.stop()
  const isSameProcess = server.child.exitCode === null && server.child.signalCode === null
  await server.kill('SIGTERM')
  const database = new DatabaseSync(file)
  const damage = database
    .prepare('pragma integrity_check')
    .all()
    .filter((row) => row.integrity_check !== 'ok').length
  database.close()
  const app = await run.openDatabase(`sqlite:${file}`)
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  await app.close()
  const refused = [...counts].map(
    ([name, count]): Figure => ({ name: `refused during: ${name}`, asked: '> 0', measured: String(count), passed: count > 0 }),
  )
  run.amountText = `${run.amount} rounds of ${faults.length} faults`
  return [
    ...refused,
    exactly('refusals other than 503', unexpected.length, 0),
    exactly('503 without a reason', unexplained, 0),
    observed('reads that failed during a fault', failedReads),
    exactly('the same process serves at the end', isSameProcess ? 'yes' : 'no', 'yes'),
    below('longest time until writes succeed again', largest(recoveries) / 1000, 10, 's'),
    exactly('problems that the integrity check reports', damage, 0),
    observed('acknowledged writes', load.acknowledged.length),
    ...changeFigures(problems),
  ]
}

export const diskErrors: Proof = {
  id: 'R8',
  promise: 'a full, read-only or failing disk is answered with 503, damages nothing, and needs no restart',
  databases: ['sqlite'],
  full: { amount: 5, unit: 'rounds' },
  method: `The SQLite file is on a tmpfs of ${volumeMb} MB. Under ${rate} writes a second the volume is filled to the last byte; then system calls of the running server are failed by strace: writes with EROFS, every third and then every write with EIO, every second flush with EIO. Each fault lasts ${faultMs / 1000} seconds. It needs root and strace.`,
  failure:
    'A request is refused with another status than 503 or without a reason, the server ends, writes do not succeed within ten seconds after the fault, `pragma integrity_check` reports a problem, or an acknowledged write is lost or made twice.',
  missing: () =>
    process.getuid?.() !== 0 ? 'mounting a small volume needs root' : existsSync(strace) ? undefined : 'the Debian package strace is not installed',
  run,
}
