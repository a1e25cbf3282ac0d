import { runProcess } from '@gatehouse/kit/process'
import { serve } from '@gatehouse/kit/service'
import { eventsConfig } from './config.ts'
import { eventsRpcs } from './rpc.ts'

await runProcess('events', eventsConfig, (context) => serve(context, { implementations: [eventsRpcs()] }))
