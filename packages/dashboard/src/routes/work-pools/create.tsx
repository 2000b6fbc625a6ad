import { createFileRoute } from '@tanstack/react-router'
import { CreatePoolPage } from '../../features/work-pools/create-pool-page.tsx'

export const Route = createFileRoute('/work-pools/create')({ component: CreatePoolPage })
