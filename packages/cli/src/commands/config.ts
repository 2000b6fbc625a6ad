import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import type { ShownSetting } from '../local-interface.ts'
import type { Column } from '../output/table.ts'

const columns: readonly Column<ShownSetting>[] = [
  { title: 'SETTING', value: ({ name }) => name },
  { title: 'VALUE', value: ({ value }) => (value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)) },
  { title: 'SOURCE', value: ({ source }) => source, style: ({ source }) => (source === 'default' ? 'gray' : 'green') },
  { title: 'VARIABLE', value: ({ variable }) => variable, isWide: true, isFixed: true },
]

export function configCommands(group: Command, cli: Cli): void {
  const view = group
    .command('view')
    .summary('Show every setting, its value and where it comes from')
    .description(
      'Shows every setting, its value and where it comes from, as a server or a command in this environment would read it. Secrets are hidden. `client.` settings are those of the commands, the others those of a server; docs/config.md describes them.',
    )
    .argument('[word]', 'only settings whose name or variable contains this word')
    .option('--changed', 'only settings that do not have their default')
    .action(async (word: string | undefined, { changed }: { changed?: boolean }) => {
      const { listSettings } = await import('../local/list-settings.ts')
      const wanted = word?.toLowerCase() ?? ''
      const found = listSettings(cli).filter(
        ({ name, variable, source }) => (name.includes(wanted) || variable.toLowerCase().includes(wanted)) && !(changed && source === 'default'),
      )
      await cli.output.list(found, columns, word === undefined ? 'Every setting has its default.' : `No setting has "${word}" in its name.`)
    })
  withExamples(view, ['config view'], ['config view retention'], ['config view --changed -o json'])
}
