/** Follows README.md and docs/start.md on a fresh clone: `npm run docs:newcomer`. Needs git, Python with venv, and the network. */
import { runNewcomer } from './docs/newcomer.ts'

const results = await runNewcomer()
for (const { page, executed, seconds, failure } of results) {
  console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${page} (${executed} blocks, ${seconds.toFixed(0)} s)`)
  if (failure !== undefined) console.log(failure)
}
process.exitCode = results.some(({ failure }) => failure !== undefined) ? 1 : 0
