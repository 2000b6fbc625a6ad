import { exitCodes as startupExitCodes } from '@millrace/server/lib/startup-error.ts'

/** Exit codes of the command, with the meaning that docs/cli.md shows. Codes from 20 on avoid those of Node. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  cannotListen: startupExitCodes.cannotListen,
  databaseInUse: startupExitCodes.databaseInUse,
  databaseUnusable: startupExitCodes.databaseUnusable,
  databaseUnreachable: startupExitCodes.databaseUnreachable,
  serverUnreachable: 24,
  notFound: 25,
  ambiguous: 26,
  unauthorized: 27,
  runNotCompleted: 28,
  interrupted: 130,
} as const

export type ExitCodeName = keyof typeof exitCodes

export const exitCodeMeanings: Readonly<Record<ExitCodeName, string>> = {
  done: 'The command succeeded.',
  failed: 'The command failed. The message says why.',
  usage: 'The command line or a setting is not valid.',
  cannotListen: 'The server cannot listen on its address.',
  databaseInUse: 'Another process uses the SQLite database.',
  databaseUnusable: 'The database cannot be opened or migrated.',
  databaseUnreachable: 'PostgreSQL cannot be reached.',
  serverUnreachable: 'The server cannot be reached, or did not answer in time.',
  notFound: 'The item does not exist.',
  ambiguous: 'Several items have this name.',
  unauthorized: 'The server rejected the credentials.',
  runNotCompleted: 'The watched run ended in another state than Completed.',
  interrupted: 'Interrupted by Ctrl-C.',
}
