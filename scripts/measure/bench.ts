/** Measures Millrace on this machine: `npm run bench -- --help`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Results } from '../../packages/bench/src/results.ts'
import { generators } from '../generate/generators.ts'
import { applyDrift, findDrift } from '../generate.ts'
import { repositoryRoot } from '../repository.ts'
import { checkForRegression } from './check.ts'
import { BenchHost } from './host.ts'
import { type BenchSettings, help, OptionError, readOptions } from './options.ts'
import { readResults, withSection, writeResults } from './results-file.ts'
import { measureSection } from './sections.ts'

async function main(settings: BenchSettings): Promise<number> {
  const interrupt = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort())
  const host = new BenchHost(settings)
  const options = { seconds: settings.seconds, repeats: settings.repeats, signal: interrupt.signal, log: (line: string) => console.log(line) }
  try {
    if (settings.isCheck) return (await checkForRegression(host, settings, options)) ? 0 : 1
    let measured: Results = { format: 1, sections: {} }
    for (const name of settings.sections) {
      console.log(`\n# ${name}`)
      const keep = (section: Parameters<typeof withSection>[2]) => {
        measured = withSection(measured, name, section, settings.isProvisional)
        if (settings.isWritten) writeResults(withSection(readResults(), name, section, settings.isProvisional))
        if (settings.json !== undefined) writeFileSync(settings.json, `${JSON.stringify(measured, null, 2)}\n`)
      }
      keep(await measureSection(name, host, settings, options, keep))
    }
    if (settings.isWritten) applyDrift(repositoryRoot, await findDrift(repositoryRoot, generators))
    return 0
  } catch (error) {
    if (!interrupt.signal.aborted) throw error
    return 130
  } finally {
    await host.close()
  }
}

try {
  const settings = readOptions(process.argv.slice(2))
  if (settings?.before !== undefined && !existsSync(join(settings.before, 'node_modules'))) {
    throw new OptionError(`--before: "${settings.before}" is not a checkout of Millrace with its packages. Run npm ci there.`)
  }
  if (settings) process.exitCode = await main(settings)
  else console.log(help)
} catch (error) {
  const isMistake = error instanceof OptionError || (error instanceof TypeError && 'code' in error)
  console.error(isMistake ? `${(error as Error).message}\n\n${help}` : error)
  process.exitCode = isMistake ? 2 : 1
}
