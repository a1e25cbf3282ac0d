import type { Language } from '@gatehouse/proto/people/languages'
import { type UserAttributeName, userAttributes } from '@gatehouse/proto/people/user-attributes'

/** An attribute's label, and what people should know who type it. Administrators alone type the ones without a hint, in English. */
type AttributeWords = readonly [label: string, hint?: string]
type Translations = Readonly<Record<Exclude<Language, 'en'>, AttributeWords>>

/** The words for the attributes of users besides the English ones, which stand with the attributes. */
const translations: Readonly<Record<UserAttributeName, Translations>> = {
  name: {
    de: ['Voller Name', 'Der Name mit all seinen Teilen, wie man ihn schreibt.'],
    fr: ['Nom complet', 'Le nom tel qu’on l’écrit, avec tous ses éléments.'],
    es: ['Nombre completo', 'El nombre tal como se escribe, con todas sus partes.'],
    pt: ['Nome completo', 'O nome como se escreve, com todas as partes.'],
    ja: ['氏名', '普段お書きになるとおりの氏名です。'],
    'zh-Hans': ['全名', '通常书写的完整姓名。'],
    ar: ['الاسم الكامل', 'الاسم كما يُكتب، بجميع أجزائه.'],
  },
  given_name: {
    de: ['Vorname', 'Der Vorname oder die Vornamen.'],
    fr: ['Prénom', 'Le ou les prénoms.'],
    es: ['Nombre', 'El nombre o los nombres de pila.'],
    pt: ['Nome', 'O primeiro nome ou os primeiros nomes.'],
    ja: ['名', '名字を除いた名前です。'],
    'zh-Hans': ['名', '不含姓氏的名字。'],
    ar: ['الاسم الأول', 'الاسم الأول أو الأسماء الأولى.'],
  },
  family_name: {
    de: ['Nachname', 'Der Nachname oder die Nachnamen.'],
    fr: ['Nom de famille', 'Le ou les noms de famille.'],
    es: ['Apellidos', 'El apellido o los apellidos.'],
    pt: ['Sobrenome', 'O sobrenome ou os sobrenomes.'],
    ja: ['姓', '名字です。'],
    'zh-Hans': ['姓', '姓氏。'],
    ar: ['اسم العائلة', 'اسم العائلة أو أسماؤها.'],
  },
  email: {
    de: ['E-Mail-Adresse'],
    fr: ['Adresse e-mail'],
    es: ['Dirección de correo electrónico'],
    pt: ['Endereço de e-mail'],
    ja: ['メールアドレス'],
    'zh-Hans': ['电子邮件地址'],
    ar: ['عنوان البريد الإلكتروني'],
  },
  email_verified: {
    de: ['E-Mail-Adresse bestätigt'],
    fr: ['Adresse e-mail vérifiée'],
    es: ['Dirección de correo verificada'],
    pt: ['Endereço de e-mail verificado'],
    ja: ['メールアドレスの確認済み'],
    'zh-Hans': ['电子邮件地址已验证'],
    ar: ['تم التحقق من عنوان البريد الإلكتروني'],
  },
  picture: {
    de: ['Bild', 'Die https-Adresse eines Bildes.'],
    fr: ['Photo', 'L’adresse https d’une image.'],
    es: ['Imagen', 'La dirección https de una imagen.'],
    pt: ['Foto', 'O endereço https de uma imagem.'],
    ja: ['画像', '画像の https アドレスです。'],
    'zh-Hans': ['头像', '图片的 https 网址。'],
    ar: ['الصورة', 'عنوان https لصورة.'],
  },
  locale: {
    de: ['Sprache', 'Ein Sprachkürzel wie en oder de-CH (BCP 47).'],
    fr: ['Langue', 'Un code de langue, comme en ou de-CH (BCP 47).'],
    es: ['Idioma', 'Un código de idioma, como en o de-CH (BCP 47).'],
    pt: ['Idioma', 'Um código de idioma, como en ou de-CH (BCP 47).'],
    ja: ['言語', 'en や de-CH などの言語タグです（BCP 47）。'],
    'zh-Hans': ['语言', '语言标签，例如 en 或 de-CH（BCP 47）。'],
    ar: ['اللغة', 'رمز لغة، مثل en أو de-CH ‏(BCP 47).'],
  },
  zoneinfo: {
    de: ['Zeitzone', 'Eine Zeitzone der IANA-Datenbank, zum Beispiel Europe/Berlin.'],
    fr: ['Fuseau horaire', 'Un fuseau horaire de la base IANA, par exemple Europe/Berlin.'],
    es: ['Zona horaria', 'Una zona horaria de la base de datos IANA, por ejemplo Europe/Berlin.'],
    pt: ['Fuso horário', 'Um fuso horário da base de dados IANA, como Europe/Berlin.'],
    ja: ['タイムゾーン', 'Europe/Berlin など、IANA データベースのタイムゾーンです。'],
    'zh-Hans': ['时区', 'IANA 数据库中的时区，例如 Europe/Berlin。'],
    ar: ['المنطقة الزمنية', 'منطقة زمنية من قاعدة بيانات IANA، مثل Europe/Berlin.'],
  },
}

/** The label and the description of an attribute in a language. */
export function attributeWords(
  name: UserAttributeName,
  language: Language,
): { label: string; description: string } {
  const { label, description } = userAttributes[name]
  if (language === 'en') return { label, description }
  const [translated, hint = description] = translations[name][language]
  return { label: translated, description: hint }
}
