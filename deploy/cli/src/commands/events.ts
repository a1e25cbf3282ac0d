import { type Command, Option } from 'commander'
import { dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { addList, type List, page, times } from '../list.ts'
import { fields } from '../output.ts'

const backends: List<'/admin/api/event-backends'> = {
  path: '/admin/api/event-backends',
  description: 'list the backends that events go to, and what waits for them',
  options: {},
  columns: {
    name: 'name',
    healthy: 'healthy',
    failing: 'failing_since',
    waiting: 'waiting',
    since: 'waiting_since',
  },
  nothing: 'Eventing is off.',
}

const deliveries: List<'/admin/api/webhook-deliveries'> = {
  path: '/admin/api/webhook-deliveries',
  description: 'list the events that were posted to the webhook, newest first',
  options: {
    event_type: new Option('--type <type>', 'only events of this type'),
    client_id: new Option('--client <id>', 'only events about this client'),
    user_id: new Option('--user <id>', 'only events about this user'),
    state: new Option('--state <state>', 'only deliveries in this state').choices([
      'waiting',
      'delivered',
      'failed',
      'refused',
    ]),
    ...times,
    ...page,
  },
  columns: {
    event: 'event_id',
    changed: 'changed_at',
    type: 'event_type',
    state: 'state',
    attempts: 'attempts',
    status: 'status',
    failure: 'failure',
  },
  nothing: 'No deliveries.',
}

const at = (id: string) => ({ params: { path: { event_id: id } } })

/** gatehouse event-backends, gatehouse webhook … */
export function eventCommands(program: Command, deps: CommandDeps): void {
  addList(program, 'event-backends', backends, deps)
  const webhook = program.command('webhook').description('events that are posted to the webhook')
  const add = adderTo(webhook, deps)
  addList(webhook, 'list', deliveries, deps)

  add('show <event>', 'show one delivery, with the body that was posted', async (api, id: string) => {
    const delivery = await dataOf(api.GET('/admin/api/webhook-deliveries/{event_id}', at(id)))
    const facts = fields({
      event: delivery.event_id,
      type: delivery.event_type,
      client: delivery.client_id,
      user: delivery.user_id,
      state: delivery.state,
      changed: delivery.changed_at,
      attempts: delivery.attempts,
      status: delivery.status,
      failure: delivery.failure,
      milliseconds: delivery.duration_ms,
    })
    const body = JSON.stringify(JSON.parse(delivery.body), null, 2)
    return { json: delivery, text: `${facts}\n\n${body}` }
  })

  add('retry <event>', 'post an event again', async (api, id: string) => {
    await dataOf(api.POST('/admin/api/webhook-deliveries/{event_id}/retry', at(id)))
    return { json: { event_id: id, state: 'waiting' }, text: 'The event will be sent.' }
  })

  add('test', 'post a test event', async (api) => {
    const sent = await dataOf(api.POST('/admin/api/webhook-deliveries/test', {}))
    return { json: sent, text: `The test event ${sent.event_id} will be sent.` }
  })
}
