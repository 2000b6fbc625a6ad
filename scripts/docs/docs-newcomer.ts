/** Follows README.md and docs/start.md on a fresh clone: `npm run docs:newcomer`. Needs git, Python with venv, and the network. */
import { runNewcomer } from './newcomer.ts'

for await (const { page, executed, seconds, failure } of runNewcomer()) {
  console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${page} (${executed} blocks, ${seconds.toFixed(0)} s)`)
  if (failure !== undefined) {
    console.log(failure)
    process.exitCode = 1
  }
}
