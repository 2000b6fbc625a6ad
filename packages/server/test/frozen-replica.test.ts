import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../src/lib/random.ts'
import { report, sizeOf } from './proof-size.ts'
import { freshDatabase } from './replicas.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { slowestMs, startWriteLoad } from './write-load.ts'

/** Twice the time for which a frozen transaction may hold its rows, and what a busy machine adds. */
const delayMsMax = 2000 + 1500

const tries = sizeOf(10, 60)

test('a frozen replica delays the writes of another by two seconds at most', { timeout: 60_000 + tries * 8000 }, async () => {
  const { url, drop } = await freshDatabase()
  const servers: ServerProcess[] = []
  onTestFinished(async () => {
    for (const { child } of servers) child.kill('SIGCONT')
    await Promise.all(servers.map(({ kill }) => kill('SIGKILL')))
    await drop()
  })
  // One after the other: the first makes the schema.
  for (let n = 0; n < 2; n += 1) servers.push(await startServerProcess(url))
  const [frozen, other] = servers as [ServerProcess, ServerProcess]
  const { id: flowId } = await other.post('/flows/', { name: 'shared' })
  const random = seededRandom(Number(process.env.PROOF_SEED ?? 1))
  const load = startWriteLoad(frozen, { clients: 4, flowId, limitMs: 60_000 })
  const measured = startWriteLoad(other, { clients: 4, flowId, limitMs: 20_000 })

  const slowest: number[] = []
  for (let n = 0; n < tries; n += 1) {
    await load.moreSuccesses(1 + Math.floor(random.next() * 20))
    const before = measured.attempts.length
    frozen.child.kill('SIGSTOP')
    await measured.nextRound()
    const ready = await fetch(`${other.url}/api/ready`)
    expect(ready.status).toBe(200)
    slowest.push(slowestMs(measured.attempts.slice(before)))
    frozen.child.kill('SIGCONT')
  }
  await Promise.all([load.stop(), measured.stop()])
  report(`slowest request of the other replica in each of ${tries} freezes, ms: ${slowest.join(' ')}`)
  expect(measured.attempts.filter(({ status }) => status < 200 || status >= 300)).toEqual([])
  expect(Math.max(...slowest)).toBeLessThan(delayMsMax)
  // What was under way in the frozen one is done on new connections when it wakes, or was done while it slept.
  expect(load.attempts.filter(({ status }) => (status < 200 || status >= 300) && status !== 503)).toEqual([])
})
