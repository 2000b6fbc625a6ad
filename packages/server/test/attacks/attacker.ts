import { setTimeout as pause } from 'node:timers/promises'
import { allAttacks } from './all-attacks.ts'
import { Target } from './target.ts'

/**
 * A program that attacks a server with all attacks at once until it is killed. Prints `{ ready }` when all are prepared, and from then on `{ attack }` at the start of
 * each round. A process of its own, so that its work does not delay what measures the server.
 */
const { url, password, names }: { url: string; password: string; names: readonly string[] } = JSON.parse(process.argv[2] as string)

/** Between two rounds of an attack. */
const pauseMs = 500

const report = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const target = new Target(url, password)
const prepared = await Promise.all(names.map(async (attack) => ({ attack, round: await allAttacks[attack]?.(target) })))
report({ ready: true })
for (const { attack, round } of prepared) {
  void (async () => {
    for (;;) {
      report({ attack })
      // A connection that the server closes is a defence too.
      await round?.().catch((error: NodeJS.ErrnoException) => report({ problem: `${attack}: ${error.code ?? error.message}` }))
      await pause(pauseMs)
    }
  })()
}
