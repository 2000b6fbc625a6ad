import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../src/lib/random.ts'
import { migratedPostgres } from './databases.ts'
import { proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { slowestMs, startWriteLoad } from './write-load.ts'

/** Twice the time for which a frozen transaction may hold its rows, plus a margin for a busy machine. */
const delayMsMax = 2000 + proofSize(8000, 1500)

const freezeCount = proofSize(4, 60)

test('a frozen replica delays writes of other replicas by at most two seconds', { timeout: 60_000 + freezeCount * 8000 }, async () => {
  const { url, drop } = await migratedPostgres()
  const servers: ServerProcess[] = []
  onTestFinished(async () => {
    for (const { child } of servers) child.kill('SIGCONT')
    await Promise.all(servers.map(({ kill }) => kill('SIGKILL')))
    await drop()
  })
  servers.push(...(await Promise.all([startServerProcess(url), startServerProcess(url)])))
  const [frozen, other] = servers as [ServerProcess, ServerProcess]
  const { id: flowId } = await other.post('/flows/', { name: 'shared' })
  const random = seededRandom(Number(process.env.PROOF_SEED ?? 1))
  const load = startWriteLoad(frozen, { clients: 4, flowId, timeoutMs: 60_000 })
  const measured = startWriteLoad(other, { clients: 4, flowId, timeoutMs: 20_000 })

  const slowest: number[] = []
  for (let n = 0; n < freezeCount; n += 1) {
    await load.waitForSuccesses(1 + Math.floor(random.next() * 20))
    const before = measured.attempts.length
    frozen.child.kill('SIGSTOP')
    await measured.waitForNextRound()
    const ready = await fetch(`${other.url}/api/ready`)
    expect(ready.status).toBe(200)
    slowest.push(slowestMs(measured.attempts.slice(before)))
    frozen.child.kill('SIGCONT')
  }
  await Promise.all([load.stop(), measured.stop()])
  reportFigures(`slowest request of the other replica in each of ${freezeCount} freezes, ms: ${slowest.join(' ')}`)
  expect(measured.attempts.filter(({ status }) => status < 200 || status >= 300)).toEqual([])
  expect(Math.max(...slowest)).toBeLessThan(delayMsMax)
  // The frozen replica repeats its open transactions on new connections when it resumes.
  expect(load.attempts.filter(({ status }) => (status < 200 || status >= 300) && status !== 503)).toEqual([])
})
