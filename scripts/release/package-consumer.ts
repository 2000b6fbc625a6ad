/** A project that uses the types of the package as strictly as TypeScript can. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const program = `import { ApiError, type ClientOptions, MillraceClient, NotFoundError } from 'millrace/client'

const options: ClientOptions = { url: 'http://127.0.0.1:4200/api', timeoutSeconds: 5, retry: { retries: 1 } }
const client = new MillraceClient(options)

export async function main(signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  for await (const run of client.flowRuns.listAll({ sort: 'START_TIME_DESC', flow_runs: { tags: { all_: ['a'] } } }, { max: 3, signal })) {
    const state: 'COMPLETED' | string | null = run.state_type
    const version: string | null = run.flow_version
    names.push(run.name, state ?? version ?? '', ...run.tags)
  }
  try {
    const { status, details } = await client.flowRuns.setState('id', { state: { type: 'CANCELLED' }, force: true })
    if (status === 'WAIT' && details.type === 'wait_details') names.push(details.delay_seconds.toFixed())
    const automation = await client.automations.read('id')
    if (automation.trigger.type === 'compound') names.push(automation.trigger.triggers.map(({ id }) => id).join())
  } catch (error) {
    if (error instanceof NotFoundError) names.push(error.code, error.requestId ?? '')
    else if (error instanceof ApiError) names.push(error.status.toFixed(), ...error.validationErrors.map(({ msg }) => msg))
  }
  // @ts-expect-error an unknown sort order
  await client.flowRuns.list({ sort: 'SIDEWAYS' })
  // @ts-expect-error a required field is missing
  await client.flows.create({})
  return names
}
`

export type ModuleResolution = 'bundler' | 'nodenext'

/**
 * Compiles a program in a folder where the package is installed. Returns the errors, an empty text if there are none. Without `lib`, TypeScript knows
 * the globals of browsers.
 */
export function compileConsumer(folder: string, tsc: string, resolution: ModuleResolution, more: Record<string, unknown> = {}): Promise<string> {
  const project = join(folder, `consumer-${resolution}-${Object.keys(more).join('-') || 'default'}`)
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'program.ts'), program)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    target: 'es2022',
    module: resolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...more,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', project], (error, stdout, stderr) => resolve(error ? `${stdout}${stderr}` || error.message : ''))
  })
}
