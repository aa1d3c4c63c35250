package config

import (
	"os"
	"path/filepath"
	"strings"
)

// Property files hold values for placeholders: workspace.env.<environment>.yaml, or else workspace.env.yaml.
const (
	propertyFile  = "workspace.env.yaml"
	secretsKey    = "secrets" // names properties that are never shown; not a property itself
	environment   = "SUPERVISOR_ENV"
	environmentV1 = "SWARMKIT_ENV"
)

// readProperties fills the expander's properties. A workspace without a property file has none.
func (l *loader) readProperties() {
	file := l.propertyFile()
	if !l.exists(file) {
		return
	}
	top := l.read(file)
	l.strs(top.get(secretsKey))
	properties := map[string]property{}
	for _, f := range top.fields {
		if f.key != secretsKey {
			l.flatten(properties, f.key, f.value)
		}
	}
	l.unresolved(top, "")
	l.env.properties = properties
}

func (l *loader) propertyFile() string {
	for _, variable := range []string{environment, environmentV1} {
		name, _ := l.env.lookupEnv(variable)
		if name == "" {
			continue
		}
		file := "workspace.env." + name + ".yaml"
		if strings.ContainsAny(name, `/\`) {
			l.fault(value{doc: &document{file: propertyFile}}, "", "%s names an environment, not a path", variable)
		} else if l.exists(file) {
			return file
		}
		break
	}
	return propertyFile
}

// flatten turns nested mappings into dotted names.
func (l *loader) flatten(into map[string]property, name string, v value) {
	switch v.kind {
	case mapping:
		for _, f := range v.fields {
			l.flatten(into, name+"."+f.key, f.value)
		}
	case list:
		l.wrong(v, "a string or a mapping")
	default:
		into[name] = property{text: v.text, problems: v.problems}
	}
}

func (l *loader) exists(file string) bool {
	_, err := os.Stat(filepath.Join(l.root, file))
	return err == nil
}
