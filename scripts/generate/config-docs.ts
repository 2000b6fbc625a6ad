import { describeExpected } from '../../packages/server/src/config/read-value.ts'
import { aliasName, environmentName, listSettings, type Setting } from '../../packages/server/src/config/setting.ts'
import { Settings } from '../../packages/server/src/config/settings.ts'

/** Generates docs/config.md from the schema of the settings. */
export function configPage(): string {
  const groups = Map.groupBy(listSettings(Settings), ({ place }) => place.slice(0, -1).join('.'))
  return [
    '# Settings',
    '',
    '<!-- Generated from packages/server/src/config/settings.ts by `npm run generate`; edit that. -->',
    '',
    'Every setting can be given in the environment, under its own name or one of the other names, which are asked in the order shown; some have a',
    'flag of `millrace server start` as well (`--help` lists them), which wins. An empty variable counts as not set. A name that begins with',
    '`MILLRACE_` and is none of these is a warning at start; a value that cannot be read stops the start with a message that names the accepted values.',
    '',
    'A secret is never shown or logged. It can also be kept in a file, whose path is given by the name with `_FILE` at its end.',
    '',
    'Where another name is marked *span*, it takes a span of time (`PT1H`, `7d`, `01:30:00` or plain seconds).',
    ...[...groups].flatMap(([group, settings]) => [
      '',
      `## ${group}`,
      '',
      ...settings.flatMap(({ place, setting }) => [...settingSection(place, setting), '']).slice(0, -1),
    ]),
    '',
  ].join('\n')
}

function settingSection(place: readonly string[], setting: Setting): string[] {
  const others = (setting.aliases ?? []).map((alias) => `\`${aliasName(alias)}\`${typeof alias === 'string' ? '' : ' (*span*)'}`)
  return [
    `### \`${environmentName(place)}\``,
    '',
    setting.description,
    '',
    `- Takes ${describeExpected(setting)}${setting.secret ? '; a secret' : ''}.`,
    `- Default: ${formatDefault(setting.default)}.`,
    ...(others.length > 0 ? [`- Other names: ${others.join(', ')}.`] : []),
  ]
}

function formatDefault(value: unknown): string {
  if (value === null) return 'none'
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty'
  return `\`${value}\``
}
