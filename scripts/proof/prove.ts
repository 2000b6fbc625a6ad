/** Proves what Millrace promises under faults: `npm run proof -- --help`. */

import { generators } from '../generate/generators.ts'
import { applyDrift, findDrift } from '../generate.ts'
import { repositoryRoot } from '../repository.ts'
import { help, OptionError, readOptions } from './options.ts'
import { runProofs } from './run-proofs.ts'

async function main(argv: readonly string[]): Promise<number> {
  const settings = readOptions(argv)
  if (!settings) {
    console.log(help)
    return 0
  }
  if (settings.isList) {
    for (const { id, promise, databases, full } of settings.proofs)
      console.log(`${id.padEnd(4)} ${promise} (${full.amount.toLocaleString('en')} ${full.unit}; ${databases.join(', ')})`)
    return 0
  }
  const interrupt = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort(new Error(`Interrupted by ${signal}`)))
  const passed = await runProofs(settings, interrupt.signal)
  if (settings.isWritten) applyDrift(repositoryRoot, await findDrift(repositoryRoot, generators))
  return passed ? 0 : 1
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isMistake = error instanceof OptionError || (error instanceof TypeError && 'code' in error)
  console.error(isMistake ? `${(error as Error).message}\n\n${help}` : error)
  process.exitCode = isMistake ? 2 : 1
}
process.exit()
