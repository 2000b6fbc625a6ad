import { stateStyles } from './style.ts'
import type { Column } from './table.ts'
import { formatAge } from './time-text.ts'

export const idColumn: Column<{ readonly id: string }> = { title: 'ID', value: ({ id }) => id, isFixed: true }

export const wideIdColumn: Column<{ readonly id: string }> = { ...idColumn, isWide: true }

export const nameColumn: Column<{ readonly name: string }> = { title: 'NAME', value: ({ name }) => name }

export const tagsColumn: Column<{ readonly tags?: readonly string[] }> = { title: 'TAGS', value: ({ tags }) => tags?.join(', ') }

export const stateColumn: Column<{ readonly state_name: string | null; readonly state_type: string | null }> = {
  title: 'STATE',
  value: ({ state_name, state_type }) => state_name ?? state_type,
  style: ({ state_type }) => stateStyles[state_type ?? ''],
}

/** A time as its distance from now: `5m ago`, `in 2h`. */
export const ageColumn = <T>(title: string, value: (item: T) => string | null | undefined): Column<T> => ({
  title,
  value: (item) => formatAge(value(item), Date.now()),
})

/** A time with its date, for `-o wide` and single items. */
export const timeColumn = <T>(title: string, value: (item: T) => string | null | undefined): Column<T> => ({ title, value, isFixed: true })
