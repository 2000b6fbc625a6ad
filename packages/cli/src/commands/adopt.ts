import type { Command } from 'commander'
import type { Cli } from '../cli.ts'

export function adoptCommand(_group: Command, _cli: Cli): void {}
