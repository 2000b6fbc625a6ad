/** Plays the processes of many flow runs: sends a heartbeat of each run at an interval. Prints `{ beat, at }` after each accepted round. */
import { setTimeout as pause } from 'node:timers/promises'
import { isSuccess, send } from '../requests.ts'

const { url, runs, intervalSeconds }: { url: string; runs: readonly string[]; intervalSeconds: number } = JSON.parse(process.argv[2] as string)

for (let beat = 1; ; beat += 1) {
  const began = performance.now()
  const events = runs.map((id) => ({
    id: crypto.randomUUID(),
    event: 'prefect.flow-run.heartbeat',
    occurred: new Date().toISOString(),
    resource: { 'prefect.resource.id': `prefect.flow-run.${id}` },
  }))
  const response = await send(url, 'POST', '/events', events)
  process.stdout.write(`${JSON.stringify({ beat: isSuccess(response) ? beat : 0, at: Date.now() })}\n`)
  await pause(Math.max(0, intervalSeconds * 1000 - (performance.now() - began)))
}
