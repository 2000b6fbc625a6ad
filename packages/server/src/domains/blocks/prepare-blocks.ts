import type { ServerContext } from '../../storage/server-context.ts'
import { installSystemBlocks } from './install-system-blocks.ts'
import { keyringOf } from './keyring.ts'

interface Log {
  warn(message: string): void
  error(facts: object, message: string): void
}

/** What blocks need when a server starts. It may already be answering: a failure here must not end it. */
export async function prepareBlocks(context: ServerContext, log: Log): Promise<void> {
  if (keyringOf(context).isKeyInDatabase) {
    log.warn(
      'The secrets of blocks are encrypted with a key that lies in the database beside them. Set MILLRACE_SERVER_ENCRYPTION_KEY to keep it elsewhere.',
    )
  }
  try {
    await installSystemBlocks(context)
  } catch (error) {
    log.error({ err: error }, 'The block types that come with the server could not be put in place')
  }
}
