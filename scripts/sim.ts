/** Simulates clusters from seeds: `npm run sim -- --help`. */
import { compressInline } from '../packages/simulator/src/kernel/inline-compression.ts'

compressInline()
const { main } = await import('../packages/simulator/src/command.ts')
process.exitCode = await main(process.argv.slice(2))
