import { homedir } from 'node:os'
import type { Static } from 'typebox'
import { type DescribedSetting, describeSettings } from './config/describe.ts'
import { type Flags, readFlags } from './config/flags.ts'
import { type Environment, type GivenValue, readFromEnvironment, unknownVariableWarnings } from './config/read-environment.ts'
import { describeExpected, readDurationValue, readValue } from './config/read-value.ts'
import { listSettings, type Setting } from './config/setting.ts'
import { Settings } from './config/settings.ts'

/** The settings of one server. `config/settings.ts` says what each means, docs/config.md says it to users. */
export type Config = Static<typeof Settings>

export interface ConfigReading {
  config: Config
  /** Lines for the log: variables that look like settings and are none. */
  warnings: string[]
  /** The variable or flag that gave a setting, by its place; settings that are not in here have their default. */
  sources: ReadonlyMap<string, string>
  /** What the command line asks for. With `help` and `version` the settings are the defaults. */
  request: Flags['request']
}

/** Everything that is wrong with the settings, a line each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The settings that this process was started with. */
export const readProcessConfig = (argv: readonly string[]): ConfigReading => readConfig(process.env, argv)

/** A flag wins over the environment, the environment over the default. Throws a ConfigError that names every fault at once. */
export function readConfig(env: Environment, argv: readonly string[]): ConfigReading {
  const flags = readFlags(argv)
  const asked = flags.request === 'serve'
  const home = env.HOME || homedir()
  const problems = asked ? [...flags.problems] : []
  const sources = new Map<string, string>()
  const config = {}
  for (const { place, setting } of listSettings(Settings)) {
    const path = place.join('.')
    const attempt = asked ? readSetting(setting, path, home, () => readFlag(flags, path) ?? readFromEnvironment(env, place, setting)) : undefined
    if (attempt?.problem) problems.push(attempt.problem)
    if (attempt?.source) sources.set(path, attempt.source)
    setAtPath(config, place, attempt?.source ? attempt.value : defaultOf(setting, home))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config: config as Config, warnings: asked ? unknownVariableWarnings(env) : [], sources, request: flags.request }
}

/** Every setting with value and origin, fit for people's eyes: no secret is in it. */
export const describeConfig = ({ config, sources }: Pick<ConfigReading, 'config' | 'sources'>): DescribedSetting[] =>
  describeSettings(config, sources)

interface ReadResult {
  source?: string
  value?: unknown
  problem?: string
}

function readSetting(setting: Setting, path: string, home: string, find: () => GivenValue | undefined): ReadResult {
  let given: GivenValue | undefined
  try {
    given = find()
    if (!given) return {}
    const value = given.isDuration ? readDurationValue(setting, path, given.text) : readValue(setting, given.text, home)
    if (value !== undefined) return { source: given.source, value }
    const said = setting.secret ? 'the value' : JSON.stringify(given.text)
    return { problem: `${given.source}: ${said} is not ${given.isDuration ? 'a span of time' : describeExpected(setting)}` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { problem: given ? `${given.source}: ${reason}` : reason }
  }
}

function readFlag(flags: Flags, path: string): GivenValue | undefined {
  const flag = flags.given.get(path)
  return flag && { ...flag, isDuration: false }
}

const defaultOf = (setting: Setting, home: string): unknown =>
  setting.normalise && typeof setting.default === 'string' && setting.default !== ''
    ? setting.normalise(setting.default, home)
    : structuredClone(setting.default)

function setAtPath(target: object, place: readonly string[], value: unknown): void {
  const [key = '', ...rest] = place
  const group = target as Record<string, unknown>
  if (rest.length === 0) {
    group[key] = value
  } else {
    group[key] ??= {}
    setAtPath(group[key] as object, rest, value)
  }
}
