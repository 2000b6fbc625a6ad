import { homedir } from 'node:os'
import type { Static } from 'typebox'
import { type DescribedSetting, describeSettings } from './config/describe.ts'
import { type Flags, readFlags } from './config/flags.ts'
import { type Environment, type GivenValue, readFromEnvironment, unknownVariableWarnings } from './config/read-environment.ts'
import { describeExpected, readDurationValue, readValue } from './config/read-value.ts'
import { listSettings, type Setting } from './config/setting.ts'
import { Settings } from './config/settings.ts'

/** The settings of one server. `config/settings.ts` defines them; docs/config.md describes them for users. */
export type Config = Static<typeof Settings>

export interface ConfigReading {
  config: Config
  /** Log lines for variables that look like settings and are not. */
  warnings: string[]
  /** The variable or flag of each setting that does not have its default, by the setting's path. */
  sources: ReadonlyMap<string, string>
  /** Command of the command line. With `help` and `version` the settings are the defaults. */
  request: Flags['request']
}

/** All problems with the settings, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Reads the settings of this process. */
export const readProcessConfig = (argv: readonly string[]): ConfigReading => readConfig(process.env, argv)

/** Flags override the environment, which overrides the defaults. Throws a ConfigError with all problems. */
export function readConfig(env: Environment, argv: readonly string[]): ConfigReading {
  const flags = readFlags(argv)
  const isServing = flags.request === 'serve'
  const home = env.HOME || homedir()
  const problems = isServing ? [...flags.problems] : []
  const sources = new Map<string, string>()
  const config = {}
  for (const { place, setting } of listSettings(Settings)) {
    const path = place.join('.')
    const result = isServing ? readSetting(setting, path, home, () => readFlag(flags, path) ?? readFromEnvironment(env, place, setting)) : undefined
    if (result?.problem) problems.push(result.problem)
    if (result?.source) sources.set(path, result.source)
    setAtPath(config, place, result?.source ? result.value : defaultOf(setting, home))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config: config as Config, warnings: isServing ? unknownVariableWarnings(env) : [], sources, request: flags.request }
}

/** Lists every setting with its value and source. Secrets are hidden. */
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
    const shown = setting.secret ? 'the value' : JSON.stringify(given.text)
    return { problem: `${given.source}: ${shown} is not ${given.isDuration ? 'a duration such as `PT1H` or `7d`' : describeExpected(setting)}` }
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
