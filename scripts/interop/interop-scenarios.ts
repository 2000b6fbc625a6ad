import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'

export interface Scenario {
  readonly name: string
  readonly path: string
  readonly about: string
  /** The server mode that it needs; empty for any. */
  readonly needs: string
  /** The oldest client version that supports it. */
  readonly since: string
  readonly timeoutSeconds: number
  /** Runs alone. */
  readonly exclusive: boolean
}

export interface ScenarioResult {
  readonly passed: boolean
  readonly seconds: number
  /** The last line of output of a failed scenario. */
  readonly failure: string
}

/** Reads the scenarios of a folder and the metadata in their first comment lines. */
export function readScenarios(folder: string): Scenario[] {
  return readdirSync(folder)
    .filter((file) => /^[a-z].*\.py$/.test(file))
    .sort()
    .map((file) => {
      const path = join(folder, file)
      const head = Object.fromEntries([...readFileSync(path, 'utf8').matchAll(/^# *(\w+): *(.+)$/gm)].map(([, key, value]) => [key, value]))
      return {
        name: basename(file, '.py'),
        path,
        about: head.about ?? '',
        needs: head.needs ?? '',
        since: head.since ?? '3.0.0',
        timeoutSeconds: Number(head.timeout ?? 90),
        exclusive: head.exclusive !== undefined,
      }
    })
}

/** Whether the scenario runs with a client version and a server mode. */
export const isApplicable = ({ needs, since }: Scenario, version: string, mode: string): boolean =>
  (needs === '' || needs === mode) && since.localeCompare(version, 'en', { numeric: true }) <= 0

interface ScenarioEnvironment {
  readonly api: string
  readonly auth: string | undefined
  /** The bin folder of the client. */
  readonly bin: string
  /** Multiplies all timeouts, for a busy machine. */
  readonly timeoutFactor: number
}

/** Runs a scenario in a new home folder and kills all processes that it leaves. */
export async function runScenario(scenario: Scenario, { api, auth, bin, timeoutFactor: patience }: ScenarioEnvironment): Promise<ScenarioResult> {
  const home = mkdtempSync(join(tmpdir(), `interop-${scenario.name}-`))
  const log = join(home, 'output.txt')
  const out = openSync(log, 'w')
  const began = performance.now()
  // In a new process group, so that one signal ends all its processes.
  const child = spawn(join(bin, 'python'), [scenario.path], {
    cwd: home,
    detached: true,
    stdio: ['ignore', out, out],
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      HOME: home,
      PREFECT_HOME: join(home, 'prefect'),
      PREFECT_PROFILES_PATH: join(home, 'prefect', 'profiles.toml'),
      PREFECT_API_URL: api,
      ...(auth !== undefined && { PREFECT_API_AUTH_STRING: auth }),
      PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: 'false',
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_LOGGING_TO_API_BATCH_INTERVAL: '0.5',
      PREFECT_WORKER_QUERY_SECONDS: '2',
      PREFECT_RUNNER_POLL_FREQUENCY: '2',
      PREFECT_CLI_COLORS: 'false',
      PREFECT_CLI_WRAP_LINES: 'false',
      DO_NOT_TRACK: '1',
      COLUMNS: '240',
      NO_COLOR: '1',
      TERM: 'dumb',
      TZ: 'UTC',
      PYTHONUNBUFFERED: '1',
      PYTHONWARNINGS: 'ignore',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: dirname(dirname(scenario.path)),
      INTEROP_BASE_URL: api,
      INTEROP_PATIENCE: String(patience),
    },
  })
  closeSync(out)
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      killProcessGroup(child.pid)
    },
    scenario.timeoutSeconds * patience * 1000,
  )
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  killProcessGroup(child.pid)
  const output = readFileSync(log, 'utf8').trim().split('\n')
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  const failure =
    code === 0
      ? ''
      : `${isLate ? `timed out after ${scenario.timeoutSeconds * patience} s: ` : ''}${findFailureLine(output, scenario)}${output.at(-1) ?? ''}`
  return { passed: code === 0, seconds: (performance.now() - began) / 1000, failure: failure.slice(0, 400) }
}

/** The line of the scenario that raised the error. */
function findFailureLine(output: readonly string[], { name }: Scenario): string {
  const line = output.findLast((text) => text.includes(`${name}.py", line `))
  return line === undefined ? '' : `${/line \d+/.exec(line)?.[0]}: `
}

function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All processes have ended.
  }
}
