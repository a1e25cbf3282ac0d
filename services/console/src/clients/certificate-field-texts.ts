import type { ClientToCreate } from '@gatehouse/admin-api/generated/openapi'
import type { FieldWords } from '../form/field-words.ts'

type Field = Extract<keyof ClientToCreate, `tls_client_auth_${string}`>

/** The words for the names in certificates of clients. They are a part of `fieldTexts`. */
export const certificateFieldTexts = {
  de: {
    tls_client_auth_subject_dn: [
      'Subject des Zertifikats',
      'Der Distinguished Name des Subjects im Zertifikat des Clients, etwa CN=app,O=Example. Für tls_client_auth, das genau einen der fünf Namen braucht.',
    ],
    tls_client_auth_san_dns: [
      'DNS-Name im Zertifikat',
      'Ein DNS-Name, den das Zertifikat des Clients als alternativen Namen hat, etwa app.example.com. Für tls_client_auth, das genau einen der fünf Namen braucht.',
    ],
    tls_client_auth_san_uri: [
      'URI im Zertifikat',
      'Eine URI, die das Zertifikat des Clients als alternativen Namen hat, etwa spiffe://example.com/app. Für tls_client_auth, das genau einen der fünf Namen braucht.',
    ],
    tls_client_auth_san_ip: [
      'IP-Adresse im Zertifikat',
      'Eine IP-Adresse, die das Zertifikat des Clients als alternativen Namen hat, etwa 192.0.2.1. Für tls_client_auth, das genau einen der fünf Namen braucht.',
    ],
    tls_client_auth_san_email: [
      'E-Mail-Adresse im Zertifikat',
      'Eine E-Mail-Adresse, die das Zertifikat des Clients als alternativen Namen hat, etwa ops@example.com. Für tls_client_auth, das genau einen der fünf Namen braucht.',
    ],
  },
  ar: {
    tls_client_auth_subject_dn: [
      'صاحب الشهادة',
      'الاسم المميَّز لصاحب شهادة العميل، مثل CN=app,O=Example. من أجل tls_client_auth الذي يحتاج إلى اسم واحد بالضبط من الأسماء الخمسة.',
    ],
    tls_client_auth_san_dns: [
      'اسم DNS في الشهادة',
      'اسم DNS تحمله شهادة العميل اسمًا بديلًا، مثل app.example.com. من أجل tls_client_auth الذي يحتاج إلى اسم واحد بالضبط من الأسماء الخمسة.',
    ],
    tls_client_auth_san_uri: [
      'معرّف URI في الشهادة',
      'معرّف URI تحمله شهادة العميل اسمًا بديلًا، مثل spiffe://example.com/app. من أجل tls_client_auth الذي يحتاج إلى اسم واحد بالضبط من الأسماء الخمسة.',
    ],
    tls_client_auth_san_ip: [
      'عنوان IP في الشهادة',
      'عنوان IP تحمله شهادة العميل اسمًا بديلًا، مثل 192.0.2.1. من أجل tls_client_auth الذي يحتاج إلى اسم واحد بالضبط من الأسماء الخمسة.',
    ],
    tls_client_auth_san_email: [
      'عنوان بريد في الشهادة',
      'عنوان بريد إلكتروني تحمله شهادة العميل اسمًا بديلًا، مثل ops@example.com. من أجل tls_client_auth الذي يحتاج إلى اسم واحد بالضبط من الأسماء الخمسة.',
    ],
  },
} satisfies Record<string, Record<Field, FieldWords>>
