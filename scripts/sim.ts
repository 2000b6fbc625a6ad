/** Simulates clusters from seeds: `npm run sim -- --help`. */
import { compressInline } from '../packages/simulator/src/kernel/inline-compression.ts'
import { allMutations } from '../packages/simulator/src/mutations/all-mutations.ts'
import { applyMutation } from '../packages/simulator/src/mutations/apply-mutation.ts'
import { OptionError, readOptions } from '../packages/simulator/src/options.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options.mutation !== undefined) {
    const mutation = allMutations.find(({ name }) => name === options.mutation)
    if (!mutation) throw new OptionError(`No mutation ${options.mutation}. There are: ${allMutations.map(({ name }) => name).join(', ')}.`)
    applyMutation(mutation)
  }
  compressInline()
  // Loads the server, after the changes above.
  const { runCommand } = await import('../packages/simulator/src/command.ts')
  process.exitCode = await runCommand(options)
} catch (error) {
  if (!(error instanceof OptionError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
