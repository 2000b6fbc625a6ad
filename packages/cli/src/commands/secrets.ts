import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { readSecretFile } from '../read-input.ts'

export function secretsCommands(group: Command, cli: Cli): void {
  const rotate = group
    .command('rotate')
    .summary('Re-encrypt the secrets of blocks with a new key')
    .description(
      'Re-encrypts the secrets of blocks with a new key: that of the file, the first one of MILLRACE_SERVER_ENCRYPTION_KEY, or a generated one. Stop a server on SQLite first.',
    )
    .option('--database <url>', 'database (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .option('--new-key-file <path>', 'file with the new key, - for stdin')
    .action(async ({ database, newKeyFile }: { database?: string; newKeyFile?: string }) => {
      const newKey = newKeyFile === undefined ? undefined : await readSecretFile(cli.io, newKeyFile)
      const { rotateSecrets } = await import('../local/rotate-secrets.ts')
      await rotateSecrets(cli, database, newKey)
    })
  withExamples(rotate, ['secrets rotate', 'with a generated key'], ['secrets rotate --new-key-file /run/secrets/millrace-key'])
}
