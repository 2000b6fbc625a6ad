import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { apiUrl } from '../connection.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import type { Column } from '../output/table.ts'
import { findProfile, type Profile, profilePath, readProfiles, writeProfiles } from '../profiles.ts'
import { readSecretFile } from '../read-input.ts'

/** A profile without its secrets. */
interface ShownProfile {
  readonly name: string
  readonly active: boolean
  readonly url: string
  readonly credentials: 'auth string' | 'key' | 'none'
}

const columns: readonly Column<ShownProfile>[] = [
  { title: 'ACTIVE', value: ({ active }) => (active ? '*' : '') },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'URL', value: ({ url }) => url, isFixed: true },
  { title: 'CREDENTIALS', value: ({ credentials }) => credentials },
]

interface CreateFlags {
  readonly url: string
  readonly authStringFile?: string
  readonly keyFile?: string
  readonly use?: boolean
  readonly force?: boolean
}

export function profileCommands(group: Command, cli: Cli): void {
  const path = (): string => profilePath(cli.io.env)

  const list = group
    .command('ls')
    .summary('List profiles')
    .action(async () => {
      const file = readProfiles(path())
      const shown = Object.entries(file.profiles).map(([name, profile]) => describe(name, profile, file.active))
      await cli.output.list(shown, columns, 'No profiles. `millrace profile create` creates one.')
    })
  withExamples(list, ['profile ls'])

  const create = group
    .command('create')
    .summary('Create or replace a profile')
    .description('Creates a profile: a server and its credentials, in a file that only you can read. The first profile becomes the active one.')
    .argument('<name>')
    .requiredOption('--url <url>', 'API of the server')
    .option('--auth-string-file <path>', 'file with user:password, - for stdin')
    .option('--key-file <path>', 'file with an API key, - for stdin')
    .option('--use', 'make it the active profile')
    .option('--force', 'replace an existing profile')
    .action(async (name: string, flags: CreateFlags) => {
      if (!/^[\w.-]+$/.test(name)) throw new UsageError(`"${name}" is not a profile name. Use letters, digits, ".", "_" and "-".`)
      const file = readProfiles(path())
      if (Object.hasOwn(file.profiles, name) && !flags.force) throw new CommandError(`Profile "${name}" exists. Replace it with --force.`)
      const profile = { url: apiUrl(flags.url, '--url'), ...(await readCredentials(cli, flags)) }
      const active = flags.use || file.active === null ? name : file.active
      writeProfiles(path(), { active, profiles: { ...file.profiles, [name]: profile } })
      await cli.output.done(
        `Saved profile "${name}"${active === name ? ', which is active' : `. \`millrace profile use ${name}\` makes it active`}.`,
        describe(name, profile, active),
      )
    })
  withExamples(
    create,
    ['profile create local --url http://127.0.0.1:4200/api'],
    ['profile create prod --url https://millrace.example.com/api --auth-string-file password.txt --use'],
  )

  const use = group
    .command('use')
    .summary('Make a profile the active one')
    .argument('<name>')
    .action(async (name: string) => {
      const file = readProfiles(path())
      const profile = findProfile(file, name)
      writeProfiles(path(), { ...file, active: name })
      await cli.output.done(`Profile "${name}" is active: ${profile.url}`, describe(name, profile, name))
      const overriding = ['MILLRACE_API_URL', 'PREFECT_API_URL'].find((variable) => cli.io.env[variable])
      if (overriding) cli.output.note(`${overriding} is set and overrides the active profile.`)
    })
  withExamples(use, ['profile use prod'])

  const inspect = group
    .command('inspect')
    .summary('Show a profile without its secrets')
    .argument('[name]', 'the active profile by default')
    .action(async (name: string | undefined) => {
      const file = readProfiles(path())
      const wanted = name ?? file.active
      if (wanted === null) throw new UsageError('No profile is active. `millrace profile ls` lists the profiles.')
      await cli.output.item(describe(wanted, findProfile(file, wanted), file.active), fields)
    })
  withExamples(inspect, ['profile inspect'], ['profile inspect prod -o json'])

  const remove = group
    .command('delete')
    .summary('Delete a profile')
    .argument('<name>')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, { yes }: { yes?: boolean }) => {
      const file = readProfiles(path())
      const { [name]: removed, ...profiles } = file.profiles
      const shown = describe(name, findProfile(file, name), file.active)
      await cli.confirm(`Delete profile "${name}"?`, yes)
      writeProfiles(path(), { active: file.active === name ? null : file.active, profiles })
      await cli.output.done(`Deleted profile "${name}".`, shown)
    })
  withExamples(remove, ['profile delete prod --yes'])
}

const fields: readonly Column<ShownProfile>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Active', value: ({ active }) => active },
  { title: 'URL', value: ({ url }) => url },
  { title: 'Credentials', value: ({ credentials }) => credentials },
]

function describe(name: string, { url, auth_string, key }: Profile, active: string | null): ShownProfile {
  return { name, active: name === active, url, credentials: auth_string ? 'auth string' : key ? 'key' : 'none' }
}

async function readCredentials({ io }: Cli, { authStringFile, keyFile }: CreateFlags): Promise<Partial<Profile>> {
  if (authStringFile !== undefined && keyFile !== undefined) throw new UsageError('Give either --auth-string-file or --key-file.')
  if (keyFile !== undefined) return { key: await readSecretFile(io, keyFile) }
  if (authStringFile === undefined) return {}
  const authString = await readSecretFile(io, authStringFile)
  if (!/^[^:]+:.+$/s.test(authString)) throw new UsageError(`${authStringFile}: the content is not user:password.`)
  return { auth_string: authString }
}
