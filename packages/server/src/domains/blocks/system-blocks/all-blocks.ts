import { awsBlocks } from './aws.ts'
import { azureBlocks } from './azure.ts'
import { localFileSystem, remoteFileSystem, secretBlock, shellOperation, smb, webhook } from './basic.ts'
import { codeHostBlocks } from './code-hosts.ts'
import { containerBlocks } from './containers.ts'
import { databaseBlocks } from './databases.ts'
import { dbtBlocks } from './dbt.ts'
import { googleBlocks } from './google.ts'
import { messagingBlocks } from './messaging.ts'
import { notificationBlocks } from './notifications.ts'
import type { SystemBlock } from './system-block.ts'

/** All built-in block types. */
export const allBlocks: readonly SystemBlock[] = [
  secretBlock,
  webhook,
  localFileSystem,
  remoteFileSystem,
  smb,
  ...notificationBlocks,
  ...awsBlocks,
  ...azureBlocks,
  ...codeHostBlocks,
  ...containerBlocks,
  ...databaseBlocks,
  ...dbtBlocks,
  ...googleBlocks,
  ...messagingBlocks,
  shellOperation,
]
