@rem cmd has no exec of its own: this is the one of the script "service" in package.json.
@%*
