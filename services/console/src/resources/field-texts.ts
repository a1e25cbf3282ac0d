import type { ResourceServerChange, ResourceServerToCreate } from '@gatehouse/admin-api/generated/openapi'
import { declareTexts } from '../texts/language.ts'

/** Fields of a resource server that have forms and buttons of their own. */
export const otherResourceFields = ['scopes', 'roles', 'scopes_by_role', 'disabled'] as const

type Field = Exclude<
  keyof ResourceServerToCreate | keyof ResourceServerChange,
  'revision' | (typeof otherResourceFields)[number]
>

/** The words for the fields of a resource server, by the names of the API. */
export const resourceFieldTexts = declareTexts({
  en: {
    identifier: {
      title: 'Identifier',
      description:
        'The address that clients send as resource (RFC 8707) and that tokens have as aud. It has no fragment. It cannot be changed later.',
    },
    name: {
      title: 'Name',
      description: 'What users read when they are asked for consent. By default the host of the identifier.',
    },
    token_lifetime: {
      title: 'Longest token lifetime, in seconds',
      description: 'From 60 seconds to 7 days (604800). Without it, that of the client counts.',
    },
    open_registration: {
      title: 'Open to registration',
      description: 'Clients that register themselves may have its scopes.',
    },
    client_id: {
      title: 'Client ID for introspection',
      description:
        'The client as which the resource server authenticates. It then sees only tokens for its resource servers.',
    },
    token_claims: {
      title: 'Claims about users in access tokens',
      description:
        'What a token for this resource server alone says of its user: roles, groups and attributes (RFC 9068).',
    },
    claims_shape: {
      title: 'Shape of roles and groups',
      description: 'Lists of texts in roles and groups (flat), or as Keycloak writes them (keycloak).',
    },
  } satisfies Record<Field, { title: string; description: string }>,
  de: {
    identifier: {
      title: 'Bezeichner',
      description:
        'Die Adresse, die Clients als resource senden (RFC 8707) und die Tokens als aud haben. Sie hat kein Fragment und lässt sich später nicht ändern.',
    },
    name: {
      title: 'Name',
      description:
        'Was Benutzer lesen, wenn sie um Zustimmung gebeten werden. Standard ist der Host des Bezeichners.',
    },
    token_lifetime: {
      title: 'Längste Gültigkeit der Tokens, in Sekunden',
      description: 'Von 60 Sekunden bis 7 Tage (604800). Ohne Angabe gilt die des Clients.',
    },
    open_registration: {
      title: 'Offen für Registrierung',
      description: 'Clients, die sich selbst registrieren, dürfen seine Scopes haben.',
    },
    client_id: {
      title: 'Client-ID für die Introspection',
      description:
        'Der Client, als der sich der Resource-Server ausweist. Er sieht dann nur Tokens für seine Resource-Server.',
    },
    token_claims: {
      title: 'Angaben zum Benutzer in Access-Tokens',
      description:
        'Was ein Token nur für diesen Resource-Server über seinen Benutzer enthält: Rollen, Gruppen und Attribute (RFC 9068).',
    },
    claims_shape: {
      title: 'Form von Rollen und Gruppen',
      description: 'Listen von Texten in roles und groups (flat), oder wie Keycloak sie schreibt (keycloak).',
    },
  },
  ar: {
    identifier: {
      title: 'معرّف المورد',
      description:
        'العنوان الذي يرسله العملاء باسم resource (RFC 8707) ويظهر في الرموز باسم aud. ليس له جزء بعد #. لا يمكن تغييره لاحقًا.',
    },
    name: {
      title: 'الاسم',
      description: 'ما يقرؤه المستخدمون عند طلب موافقتهم. الافتراضي هو مضيف المعرّف.',
    },
    token_lifetime: {
      title: 'أطول مدة صلاحية للرموز بالثواني',
      description: 'من 60 ثانية إلى 7 أيام (604800). من دونها تسري مدة العميل.',
    },
    open_registration: {
      title: 'مفتوح للتسجيل',
      description: 'يمكن للعملاء الذين يسجّلون أنفسهم الحصول على نطاقاته.',
    },
    client_id: {
      title: 'معرّف العميل للاستعلام',
      description: 'العميل الذي يصادق به خادم الموارد. لا يرى عندها إلا رموز خوادم موارده.',
    },
    token_claims: {
      title: 'بيانات المستخدم في رموز الوصول',
      description: 'ما يحتويه رمز لخادم الموارد هذا وحده عن مستخدمه: أدواره ومجموعاته وسماته (RFC 9068).',
    },
    claims_shape: {
      title: 'شكل الأدوار والمجموعات',
      description: 'قوائم نصوص في roles و groups (flat)، أو كما يكتبها Keycloak (keycloak).',
    },
  },
})
