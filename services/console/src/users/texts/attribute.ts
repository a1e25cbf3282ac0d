import type { Invitation, UserChange, UserToCreate } from '@gatehouse/admin-api/generated/openapi'
import { declareFields } from '../../form/field-words.ts'
import type { otherUserFields } from '../../names/user-fields.ts'

type Field = Exclude<
  keyof UserChange | keyof UserToCreate | keyof Invitation,
  'revision' | (typeof otherUserFields)[number]
>

/** The words for the fields of a user in forms, by the names of the API. */
export const attributeTexts = declareFields<Field | 'invited_email'>({
  en: {
    username: ['User name', 'The name with which they log in.'],
    invited_email: [
      'E-mail address',
      'Where the invitation goes. The account then has this address, confirmed.',
    ],
  },
  de: {
    username: ['Benutzername', 'Der Name für die Anmeldung.'],
    name: ['Voller Name', 'Der Name, wie man ihn schreibt, mit allen Teilen.'],
    given_name: ['Vorname', 'Der oder die Vornamen.'],
    family_name: ['Familienname', 'Der oder die Nachnamen.'],
    email: [
      'E-Mail-Adresse',
      'Wohin der Benutzer Mails bekommt. Mehrere Benutzer können dieselbe Adresse haben.',
    ],
    invited_email: [
      'E-Mail-Adresse',
      'Wohin die Einladung geht. Das Konto hat dann diese Adresse, bestätigt.',
    ],
    email_verified: [
      'E-Mail-Adresse bestätigt',
      'Ob der Benutzer nachgewiesen hat, dass ihm die Adresse gehört. Ändert sich die Adresse, muss sie neu bestätigt werden.',
    ],
    picture: ['Bild', 'Die https-Adresse eines Bildes.'],
    locale: ['Sprache', 'Ein Sprachkürzel wie en oder de-CH.'],
    zoneinfo: ['Zeitzone', 'Eine Zeitzone wie Europe/Berlin.'],
  },
  ar: {
    username: ['اسم المستخدم', 'الاسم الذي يسجّل به الدخول.'],
    name: ['الاسم الكامل', 'الاسم كما يُكتب بكل أجزائه.'],
    given_name: ['الاسم الأول', 'الاسم الأول أو الأسماء الأولى.'],
    family_name: ['اسم العائلة', 'اسم العائلة أو الأسماء الأخيرة.'],
    email: ['البريد الإلكتروني', 'حيث يتلقى المستخدم الرسائل. يمكن أن يكون العنوان نفسه لعدة مستخدمين.'],
    invited_email: ['البريد الإلكتروني', 'حيث تصل الدعوة. يكون هذا عنوان الحساب بعد ذلك، مؤكدًا.'],
    email_verified: [
      'البريد الإلكتروني مؤكد',
      'هل أثبت المستخدم أن العنوان له. عند تغيير العنوان يجب تأكيده من جديد.',
    ],
    picture: ['الصورة', 'عنوان https لصورة.'],
    locale: ['اللغة', 'رمز لغة مثل en أو de-CH.'],
    zoneinfo: ['المنطقة الزمنية', 'منطقة زمنية مثل Europe/Berlin.'],
  },
})
