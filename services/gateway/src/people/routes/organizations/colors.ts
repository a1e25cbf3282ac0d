import { Refusal } from '@gatehouse/kit/errors'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { assetTypes } from '../../../http/assets.ts'
import { rulesFor } from '../../pages/look.ts'
import { colorPath } from '../../pages/organization-look.ts'

/**
 * The rules of a colour, for the pages of organizations: as readable as on those of the server. A stylesheet of its own, because the
 * Content-Security-Policy allows no styles in pages. It says nothing of any organization.
 */
export const organizationColors = endpoint({
  name: 'colours of organizations',
  door: 'anybody',
  part: organizationParts,
  routes: (app) => {
    app.get<{ Params: { file: string } }>(
      `${colorPath}:file`,
      { schema: { hide: true } },
      async ({ params: { file } }, reply) => {
        const [, color] = /^([\da-f]{6})\.css$/.exec(file) ?? []
        if (color === undefined) throw new Refusal('not_found', 'There is no such colour.')
        return reply
          .headers({
            'cache-control': 'public, max-age=31536000, immutable',
            'x-content-type-options': 'nosniff',
          })
          .type(assetTypes.css)
          .send(rulesFor(`#${color}`))
      },
    )
  },
})
