import type { Command } from 'commander'
import type { Cli } from '../cli.ts'

export function retentionCommands(_group: Command, _cli: Cli): void {}
