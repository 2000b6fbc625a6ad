import { environmentName, listSettings, type Setting } from './setting.ts'
import { Settings } from './settings.ts'

export const HIDDEN = '********'

export interface DescribedSetting {
  place: string
  environment_name: string
  /** The value; asterisks if it is secret. */
  value: unknown
  /** The variable or flag that set it, or `default`. */
  source: string
}

/** Lists every setting with its value and source. Secrets are hidden. */
export function describeSettings(config: object, sources: ReadonlyMap<string, string>): DescribedSetting[] {
  return listSettings(Settings).map(({ place, setting }) => ({
    place: place.join('.'),
    environment_name: environmentName(place),
    value: redact(setting, getAtPath(config, place)),
    source: sources.get(place.join('.')) ?? 'default',
  }))
}

export const getAtPath = (config: object, place: readonly string[]): unknown =>
  place.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], config)

function redact(setting: Setting, value: unknown): unknown {
  if (!setting.secret || value === null) return value
  return setting.secret === 'password' ? withoutPassword(String(value)) : HIDDEN
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url) || url.startsWith('sqlite:')) return url
  const parsed = new URL(url)
  if (parsed.password !== '') parsed.password = HIDDEN
  for (const name of ['password', 'sslpassword']) if (parsed.searchParams.has(name)) parsed.searchParams.set(name, HIDDEN)
  return parsed.href
}
