/**
 * Takes slots and releases them, several at a time, until its share of acquisitions is done. With a given probability it kills itself by SIGKILL while it
 * holds all slots of a round. Prints `{ taken, at }` after each acquisition and `{ released, at }` before each release.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../../packages/server/src/lib/random.ts'
import { isSuccess, send } from '../requests.ts'

interface Arguments {
  readonly url: string
  readonly limit: string
  readonly holders: number
  readonly rounds: number
  readonly deathShare: number
  readonly leaseSeconds: number
  readonly seed: number
}

const { url, limit, holders, rounds, deathShare, leaseSeconds, seed }: Arguments = JSON.parse(process.argv[2] as string)
const random = seededRandom(seed)
const at = '/v2/concurrency_limits'
const report = (line: object) => process.stdout.write(`${JSON.stringify({ ...line, at: Date.now() })}\n`)

async function take(): Promise<string> {
  for (;;) {
    const response = await send(
      url,
      'POST',
      `${at}/increment-with-lease`,
      { names: [limit], slots: 1, lease_duration: leaseSeconds },
      { prefer: 'wait=5' },
    )
    if (isSuccess(response)) {
      report({ taken: response.body.lease_id })
      return response.body.lease_id
    }
    if (response.status !== 423 && response.status !== 503) report({ problem: `${response.status} ${response.problem.slice(0, 200)}` })
    await pause(20)
  }
}

for (let round = 0; round < rounds; round += 1) {
  const leases = await Promise.all(Array.from({ length: holders }, take))
  if (random.next() < deathShare) process.kill(process.pid, 'SIGKILL')
  await pause(random.next() * 20)
  await Promise.all(
    leases.map(async (lease) => {
      report({ released: lease })
      const response = await send(url, 'POST', `${at}/decrement-with-lease`, { lease_id: lease })
      if (!isSuccess(response)) report({ problem: `release: ${response.status} ${response.problem.slice(0, 200)}` })
    }),
  )
}
process.exit()
